// The kernels, written once as loops that compilers turn into vectors: a file for each instruction
// set (cmake/VectorKernels.cmake) includes this in a namespace of its own, with its flags. No
// library function may be instantiated here.
//
// Invariants: each lane does what Tracer does with its ray (its plain twin), operation by operation
// and in its order, and what Tracer would not do is computed beside and not taken. So no number
// depends on which rays stand side by side, or on the width of vectors.

#define RTVP_LANES _Pragma("omp simd") for (std::size_t k = 0; k < kLanes; ++k)

void points(const Rays& rays, std::size_t count, bool exact_exit, float* x, float* y, float* z) {
  float* const out[3] = {x, y, z};
  for (unsigned axis = 0; axis < 3; ++axis) {
    float* const to = out[axis];
    const double* const origin = rays.origin[axis];
    const double* const direction = rays.direction[axis];
    const double* const low = rays.low[axis];
    const double* const high = rays.high[axis];
    for (std::size_t group = 0; group < count; group += kLanes) {
      RTVP_LANES {
        const std::size_t n = group + k;
        const double p = origin[n] + direction[n] * rays.t[n];
        const double below = high[n] < p ? high[n] : p;
        const double inside = below < low[n] ? low[n] : below;
        to[n] = static_cast<float>(exact_exit ? inside : p);
      }
    }
  }
}

constexpr double kMostFinite = 0x1.fffffffffffffp+1023;

template <bool kPlanar>
[[gnu::always_inline]] inline void takeGroup(Rays& rays, std::size_t group, const float* f,
                                             const Rules& rules) {
  const double eps = rules.eps, limit = rules.step_limit, scale = rules.step_scale;
  const double weight = rules.relaxation, cone_scale = rules.cone_scale;
  const bool best_candidate = rules.best_candidate, last_step = rules.last_step;
  RTVP_LANES {
    const std::size_t n = group + k;
    const double t = rays.t[n], end = rays.end[n], step = rays.step[n], before = rays.before[n];
    const double lipschitz = rays.lipschitz[n], last_f = rays.last_f[n], last_t = rays.last_t[n];
    const double cone_at = rays.cone[n], overshot = rays.overshoot[n];
    const double error = rays.best_error[n], best_t = rays.best_t[n], relaxing = rays.relaxing[n];
    const double here = rays.side[n] * static_cast<double>(f[n]);
    const double evaluations = rays.evaluations[n] + 1;
    const bool leaving = rays.leaving[n] != 0, known = here == here;
    const double radius = here / lipschitz;
    const bool below = here<-eps, above = here> eps;

    // checkDrop()
    const bool fell = (evaluations > 1) & below & (last_f > 0) & (t > last_t);
    const bool deep = last_f - here > (lipschitz * (t - last_t)) * (1 + 1e-3) + eps;
    const bool over = known & !leaving & fell & deep;

    // leaveShell()
    const bool left = leaving & above;
    const bool grazing = leaving & !below & !above;
    const double grazed = t + eps / lipschitz * evaluations;

    // Spheres that do not overlap, or a hit
    const bool apart = !leaving & (step > before) & (radius + before < step);
    const double cone = cone_scale * cone_at * t;
    const double shell = eps < cone ? cone : eps;
    const bool near = !leaving & !apart & (here <= shell);
    const bool hit = near | (leaving & below);
    const double on = t + radius, touched = end < on ? end : on;

    // advance()
    const bool advances = left | (!leaving & !apart & !near);
    const double ratio = here / t;
    const bool better = advances & (t > 0) & (ratio < error) & best_candidate;
    const double plain = radius * scale;
    double longer = radius * weight;
    if (kPlanar) {
      const double next = radius * (step - before + radius) / (step + before - radius);
      const bool use = (step > 0) & (next > 0) & (next <= kMostFinite);
      const double added = radius + weight * next;
      longer = use ? added : radius;
    }
    const double stepped = (relaxing != 0) & (t + longer < end) ? longer : plain;

    const double advanced = t + stepped, back = t + (before - step);
    double to = near & (here > 0) & last_step ? touched : t;
    to = grazing ? grazed : to;
    to = apart ? back : to;
    to = advances ? advanced : to;
    to = known ? to : t;
    const double next_step = advances ? stepped : step;
    const double next_before = advances ? radius : before;
    rays.step[n] = apart ? 0.0 : next_step;
    rays.before[n] = apart ? 0.0 : next_before;
    rays.relaxing[n] = apart ? 0.0 : relaxing;
    rays.best_error[n] = better ? ratio : error;
    rays.best_t[n] = better ? t : best_t;
    rays.leaving[n] = leaving & !left ? 1.0 : 0.0;
    rays.overshoot[n] = over ? 1.0 : overshot;
    rays.evaluations[n] = evaluations;
    rays.last_f[n] = here;
    rays.last_t[n] = t;
    rays.t[n] = to;
    double outcome = evaluations >= limit ? kCapped : kOn;
    outcome = to >= end ? kMiss : outcome;
    outcome = hit ? kHit : outcome;
    rays.outcome[n] = known ? outcome : kUndefined;
  }
}

/// A bit a lane of a group.
[[gnu::always_inline]] inline std::uint8_t endedOf(const double* outcome) {
  unsigned bits = 0;
#if defined(__AVX__)
  for (unsigned k = 0; k < kLanes; k += 4) {
    const __m256d over =
        _mm256_cmp_pd(_mm256_load_pd(outcome + k), _mm256_setzero_pd(), _CMP_NEQ_OQ);
    bits |= static_cast<unsigned>(_mm256_movemask_pd(over)) << k;
  }
#else
  for (unsigned k = 0; k < kLanes; ++k) bits |= outcome[k] != kOn ? 1U << k : 0U;
#endif
  return static_cast<std::uint8_t>(bits);
}

template <bool kPlanar>
[[gnu::always_inline]] inline void takeAll(Rays& rays, std::size_t count, const float* f,
                                           const Rules& rules, std::uint8_t* ended) {
  for (std::size_t group = 0; group < count; group += kLanes, ++ended) {
    takeGroup<kPlanar>(rays, group, f, rules);
    *ended = endedOf(rays.outcome + group);
  }
}

void take(Rays& rays, std::size_t count, const float* f, const Rules& rules, std::uint8_t* ended) {
  if (rules.planar) return takeAll<true>(rays, count, f, rules, ended);
  takeAll<false>(rays, count, f, rules, ended);
}

/// View::pixelRay(), spanOf() and what ObjectPass does with them, a fragment a lane.
template <bool kExact>
[[gnu::always_inline]] inline void meetGroup(Fragments& fragments, std::size_t group, const Eye& e,
                                             const Face& face) {
  constexpr double kFar = __builtin_inf();
  const double* const along = fragments.direction[face.axis];
  const double origin = e.eye[face.axis];
  RTVP_LANES {
    const std::size_t n = group + k;
    const double x = fragments.x[n], y = fragments.y[n];
    const double d0 = (e.corner[0] + e.column[0] * x) + e.row[0] * y;
    const double d1 = (e.corner[1] + e.column[1] * x) + e.row[1] * y;
    const double d2 = (e.corner[2] + e.column[2] * x) + e.row[2] * y;
    const double w0 = (e.world_corner[0] + e.world_column[0] * x) + e.world_row[0] * y;
    const double w1 = (e.world_corner[1] + e.world_column[1] * x) + e.world_row[1] * y;
    const double w2 = (e.world_corner[2] + e.world_column[2] * x) + e.world_row[2] * y;
    const double object_length = __builtin_sqrt(d0 * d0 + d1 * d1 + d2 * d2);
    const double world_length = __builtin_sqrt(w0 * w0 + w1 * w1 + w2 * w2);
    const double unit = 1 / object_length;
    fragments.direction[0][n] = d0 * unit;
    fragments.direction[1][n] = d1 * unit;
    fragments.direction[2][n] = d2 * unit;
    fragments.scale[n] = object_length / world_length;
    fragments.enter[n] = e.near_depth * object_length;  // for now
  }
  RTVP_LANES {
    const std::size_t n = group + k;
    const double near = fragments.enter[n], scale = fragments.scale[n];
    double enter = -kFar, leave = kFar;
    bool beside = false;
    if (kExact) {
#pragma GCC unroll 3
      for (unsigned axis = 0; axis < 3; ++axis) {
        const double o = e.eye[axis], d = fragments.direction[axis][n];
        const double a = (face.low[axis] - o) / d, b = (face.high[axis] - o) / d;
        const double first = b < a ? b : a, last = a < b ? b : a;
        const double later = enter < first ? first : enter, sooner = last < leave ? last : leave;
        const bool across = d == 0;
        beside = beside | (across & ((o < face.low[axis]) | (o > face.high[axis])));
        enter = across ? enter : later;
        leave = across ? leave : sooner;
      }
      enter = beside ? 0.0 : enter;
      leave = beside ? -1.0 : leave;
      const double not_before = enter < near ? near : enter;
      enter = face.patched ? not_before : enter;
    } else {
      enter = (face.plane - origin) / along[n];
      leave = enter;
    }
    const bool seen = (enter >= near) & (enter <= leave);
    const double far = fragments.depth[n] * scale;
    const bool behind = (enter >= far) & face.early_depth;
    const double ends = far < leave ? far : leave;
    leave = face.early_depth & kExact ? ends : leave;
    const bool carried = (fragments.clear[n] >= leave) & face.carries;
    double kind = carried ? kCarried : kTraced;
    kind = behind ? kBehind : kind;
    fragments.kind[n] = seen ? kind : kClipped;
    fragments.enter[n] = enter;
    fragments.leave[n] = leave;
  }
}

void fragments(Fragments& fragments, std::size_t count, const Eye& eye, const Face& face) {
  if (face.exact_exit) {
    for (std::size_t group = 0; group < count; group += kLanes)
      meetGroup<true>(fragments, group, eye, face);
  } else {
    for (std::size_t group = 0; group < count; group += kLanes)
      meetGroup<false>(fragments, group, eye, face);
  }
}

#undef RTVP_LANES

constexpr Kernels kTable{points, take, fragments};
