# Writes the shading firmware's sources as a C++ file: the platform assembles them with a scene's shaders.
# cmake -DFOLDER=folder -DFILES=a;b;c -DOUTPUT=file.cpp -P sources.cmake
set(body "")
foreach(name IN LISTS FILES)
  file(READ ${FOLDER}/${name} text)
  string(APPEND body "    {\"${name}\", R\"TEXT(${text})TEXT\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Generated from firmware/tigershark.
#include \"firmware/shading_image.hpp\"

namespace rtvp::firmware {

const std::map<std::string, std::string>& shadingSources() {
  static const std::map<std::string, std::string> kFiles{
${body}  };
  return kFiles;
}

}  // namespace rtvp::firmware
")
