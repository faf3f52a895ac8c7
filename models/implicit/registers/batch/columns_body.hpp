// Columns and normals of height fields, included by kernels_body.hpp.

#if !defined(__AVX512DQ__)
/// Columns of a row beside each other, if all are open; as vectors.
template <unsigned kWidth>
[[gnu::always_inline]] inline bool openWhole(Columns& columns, const Tile& tile, unsigned row,
                                             unsigned left, std::uint32_t front, std::size_t& count,
                                             std::uint32_t& highest) {
  const std::uint32_t* const shown =
      tile.shown + static_cast<std::ptrdiff_t>(row) * tile.row + left;
  const float* const xs = tile.x + left;
  const std::uint32_t first = tile.place + (row << kRowShift) + left;
  std::uint32_t most = 0;
  for (unsigned k = 0; k < kWidth; ++k) most = shown[k] > most ? shown[k] : most;
  if (most >= front) return false;
  highest = most > highest ? most : highest;
  const std::size_t at = count;
  for (unsigned k = 0; k < kWidth; ++k) columns.place[at + k] = first + k;
  for (unsigned k = 0; k < kWidth; ++k) columns.height[at + k] = shown[k];
  for (unsigned k = 0; k < kWidth; ++k) columns.x[at + k] = xs[k];
  for (unsigned k = 0; k < kWidth; ++k) columns.y[at + k] = tile.y[row];
  count = at + kWidth;
  return true;
}
#endif

/// Those columns of the tile that show nothing in front of `front`.
void openColumns(Columns& columns, const Tile& tile, std::uint32_t front) {
  const std::uint32_t* shown = tile.shown;
  std::size_t count = 0;
#if defined(__AVX512DQ__)
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i limit = _mm256_set1_epi32(static_cast<int>(front));
  __m256i highest = _mm256_setzero_si256();
  for (unsigned row = 0; row < tile.rows; ++row, shown += tile.row) {
    const __mmask8 may = row < tile.lower ? tile.may_lower : tile.may_upper;
    const __m256i heights = _mm256_maskz_loadu_epi32(may, shown);
    const __mmask8 open = _mm256_mask_cmplt_epu32_mask(may, heights, limit);
    const std::uint32_t first = tile.place + (row << kRowShift);
    const __m256i place = _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(first)), lane);
    const auto put = [&](void* to, __m256i value) {
      _mm256_storeu_si256(static_cast<__m256i*>(to), _mm256_maskz_compress_epi32(open, value));
    };
    put(columns.place + count, place);
    put(columns.height + count, heights);
    put(columns.x + count, _mm256_maskz_loadu_epi32(may, tile.x));
    _mm256_storeu_ps(columns.y + count, _mm256_set1_ps(tile.y[row]));
    highest = _mm256_mask_max_epu32(highest, open, highest, heights);
    count += static_cast<unsigned>(__builtin_popcount(open));
  }
  const __m128i four =
      _mm_max_epu32(_mm256_castsi256_si128(highest), _mm256_extracti128_si256(highest, 1));
  const __m128i two = _mm_max_epu32(four, _mm_shuffle_epi32(four, 0x4E));
  columns.highest = static_cast<std::uint32_t>(
      _mm_cvtsi128_si32(_mm_max_epu32(two, _mm_shuffle_epi32(two, 0xB1))));
#else
  std::uint32_t highest = 0;
  for (unsigned row = 0; row < tile.rows; ++row, shown += tile.row) {
    const unsigned may = row < tile.lower ? tile.may_lower : tile.may_upper;
    const std::uint32_t first = tile.place + (row << kRowShift);
    // All of a row or of one half of it are open, the usual cases.
    constexpr unsigned kHalf = kTile / 2, kLow = (1U << kHalf) - 1, kHigh = kLow << kHalf;
    if ((may == (kLow | kHigh) && openWhole<kTile>(columns, tile, row, 0, front, count, highest)) ||
        (may == kLow && openWhole<kHalf>(columns, tile, row, 0, front, count, highest)) ||
        (may == kHigh && openWhole<kHalf>(columns, tile, row, kHalf, front, count, highest)))
      continue;
    for (unsigned x = 0; may >> x != 0; ++x) {
      // Written in any case, and kept by the step.
      const bool maybe = (may >> x & 1U) != 0;
      const std::uint32_t height = shown[x];
      columns.place[count] = first + x;
      columns.height[count] = height;
      columns.x[count] = tile.x[x];
      columns.y[count] = tile.y[row];
      const bool open = maybe && height < front;
      highest = open && height > highest ? height : highest;
      count += open ? 1U : 0U;
    }
  }
  columns.highest = highest;
#endif
  columns.count = count;
}

/// The columns' voxels of so many layers, the front layer first: `depth` is its centre, the others
/// stand before it.
void placeLayers(const Columns& columns, const float* depth, unsigned layers, float* x, float* y,
                 float* z) {
  const std::size_t count = columns.count;
  for (unsigned layer = 0; layer < layers; ++layer, x += count, y += count, z += count) {
    const float centre = *(depth - layer);
#if defined(__AVX512DQ__)
    for (std::size_t n = 0; n < count; n += kLanes) {
      const auto lanes = static_cast<__mmask16>(count - n < kLanes ? (1U << (count - n)) - 1 : ~0U);
      _mm512_mask_storeu_ps(x + n, lanes, _mm512_loadu_ps(columns.x + n));
      _mm512_mask_storeu_ps(y + n, lanes, _mm512_loadu_ps(columns.y + n));
      _mm512_mask_storeu_ps(z + n, lanes, _mm512_set1_ps(centre));
    }
#else
    for (std::size_t n = 0; n < count; ++n) x[n] = columns.x[n];
    for (std::size_t n = 0; n < count; ++n) y[n] = columns.y[n];
    for (std::size_t n = 0; n < count; ++n) z[n] = centre;
#endif
  }
}

[[gnu::always_inline]] inline bool anyInside(const float* values, std::size_t count) {
  int any = 0;
  _Pragma("omp simd reduction(|:any)") for (std::size_t n = 0; n < count; ++n) any |=
      values[n] < 0 ? 1 : 0;
  return any != 0;
}

/// From f in the layers `from` to before `to`: voxels that show become hits; columns stay open
/// whose next voxels are not hidden.
void takeHits(Columns& columns, const float* values, std::uint32_t from, std::uint32_t to,
              Hits& hits) {
  const std::size_t count = columns.count;
  const bool inside = anyInside(values, count * (to - from));
  if (!inside && columns.highest < from) return;
  std::size_t left = 0, hit = hits.count;
#if defined(__AVX512DQ__)
  const __m512i limit = _mm512_set1_epi32(static_cast<int>(from));
  for (std::size_t n = 0; n < count; n += kLanes) {
    const auto lanes = static_cast<__mmask16>(count - n < kLanes ? (1U << (count - n)) - 1 : ~0U);
    const __m512i before = _mm512_loadu_si512(columns.height + n);
    const __m512i place = _mm512_loadu_si512(columns.place + n);
    const __m512 x = _mm512_loadu_ps(columns.x + n), y = _mm512_loadu_ps(columns.y + n);
    __m512i height = before;
    __m512 f = _mm512_setzero_ps();
    const float* row = values + n;
    for (std::uint32_t z = to; z > from && inside; --z, row += count) {
      const __m512i here = _mm512_set1_epi32(static_cast<int>(z));
      const __m512 value = _mm512_maskz_loadu_ps(lanes, row);
      const __mmask16 shows = _mm512_mask_cmplt_epu32_mask(
          _mm512_cmp_ps_mask(value, _mm512_setzero_ps(), _CMP_LT_OQ), height, here);
      height = _mm512_mask_mov_epi32(height, shows, here);
      f = _mm512_mask_mov_ps(f, shows, value);
    }
    const __mmask16 found = _mm512_mask_cmpneq_epu32_mask(lanes, height, before);
    _mm512_storeu_si512(hits.place + hit, _mm512_maskz_compress_epi32(found, place));
    _mm512_storeu_si512(hits.height + hit, _mm512_maskz_compress_epi32(found, height));
    _mm512_storeu_ps(hits.f + hit, _mm512_maskz_compress_ps(found, f));
    hit += static_cast<unsigned>(__builtin_popcount(found));
    const __mmask16 open = _mm512_mask_cmplt_epu32_mask(lanes, height, limit);
    _mm512_storeu_si512(columns.place + left, _mm512_maskz_compress_epi32(open, place));
    _mm512_storeu_si512(columns.height + left, _mm512_maskz_compress_epi32(open, height));
    _mm512_storeu_ps(columns.x + left, _mm512_maskz_compress_ps(open, x));
    _mm512_storeu_ps(columns.y + left, _mm512_maskz_compress_ps(open, y));
    left += static_cast<unsigned>(__builtin_popcount(open));
  }
#else
  std::uint32_t before[kTileColumns];
  for (std::size_t n = 0; n < count; ++n) before[n] = columns.height[n];
  const float* row = values;
  for (std::uint32_t z = to; z > from && inside; --z, row += count) {
    for (std::size_t n = 0; n < count; ++n) {
      const std::uint32_t height = columns.height[n], raised = height < z ? z : height;
      columns.height[n] = row[n] < 0 ? raised : height;
    }
  }
  for (std::size_t n = 0; n < count; ++n) {
    const std::uint32_t height = columns.height[n], at = columns.place[n];
    const bool found = height != before[n];
    hits.place[hit] = at;
    hits.height[hit] = height;
    hits.f[hit] = values[(found ? to - height : 0) * count + n];
    hit += found ? 1U : 0U;
    columns.place[left] = at;
    columns.x[left] = columns.x[n];
    columns.y[left] = columns.y[n];
    columns.height[left] = height;
    left += height < from ? 1U : 0U;
  }
#endif
  columns.count = left;
  hits.count = hit;
}

/// The centres of an axis' voxels, and half a voxel beside them towards the middle of the cell.
[[gnu::always_inline]] inline void besideVoxels(const std::uint32_t* voxels, std::uint32_t middle,
                                                float size, float* at, float* beside, float* sign) {
  const float step = 1.0F / size;
  RTVP_LANES {
    const auto voxel = static_cast<std::int32_t>(voxels[k]);
    const float centre = (2.0F * static_cast<float>(voxel) + 1.0F - size) / size;
    const float toward = 2 * voxel + 1 <= static_cast<std::int32_t>(middle) ? 1.0F : -1.0F;
    at[k] = centre;
    beside[k] = centre + toward * step;
    sign[k] = toward;
  }
}

/// Where hits lie, and the points beside them along each axis.
void besideHits(Beside& shaded, const std::uint32_t* places, const std::uint32_t* heights,
                unsigned n) {
  RTVP_GROUPS {
    alignas(64) std::uint32_t voxels[3][kLanes];
    RTVP_LANES {
      voxels[0][k] = places[group + k] & ((1U << kRowShift) - 1);
      voxels[1][k] = places[group + k] >> kRowShift;
      voxels[2][k] = heights[group + k] - 1;
    }
    for (unsigned axis = 0; axis < 3; ++axis)
      besideVoxels(voxels[axis], shaded.twice_middle[axis], shaded.size, shaded.at[axis] + group,
                   shaded.beside[axis] + group, shaded.sign[axis] + group);
    if (shaded.flat != 0) {
      RTVP_LANES shaded.at[2][group + k] = 0;
    }
  }
}

/// From f at hits and beside them to unit normals. Nothing changes across a plane.
void normalsOf(Beside& shaded, unsigned n) {
  const bool flat = shaded.flat != 0;
  RTVP_GROUPS {
    _Pragma("omp simd") for (std::size_t k = group; k < group + kLanes; ++k) {
      const float f = shaded.f[k], fz = flat ? f : shaded.fz[k];
      const float dx = (shaded.fx[k] - f) * shaded.sign[0][k];
      const float dy = (shaded.fy[k] - f) * shaded.sign[1][k];
      const float dz = (fz - f) * shaded.sign[2][k];
      const float length = __builtin_sqrtf(0.0F + dx * dx + dy * dy + dz * dz);
      const bool good = (length > 0) & (length < range::kInf);
      const float x = dx / length, y = dy / length, z = dz / length;
      shaded.normal[0][k] = good ? x : 0.0F;
      shaded.normal[1][k] = good ? y : 0.0F;
      shaded.normal[2][k] = good ? z : 1.0F;
    }
  }
}
