# cmake -D OUTPUT=file.c -D NAMES="a;b" -D FILES="x;y" -P Embed.cmake: files as C strings, by name.
set(text "// Made from ${FILES}.\n")
foreach(name file IN ZIP_LISTS NAMES FILES)
	file(READ ${file} bytes HEX)
	string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
	string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
	string(APPEND text "extern const unsigned char ${name}[];\nconst unsigned char ${name}[] = {\n${bytes}0x00 };\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
