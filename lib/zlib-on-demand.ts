import type * as zlib from "node:zlib";

// Node loads it with the first compressed body, checksum or file: most starts see none.
const loaded = (): typeof zlib => process.getBuiltinModule("node:zlib");

/** Stands for `node:zlib` in the bundles; esbuild names an import that is missing here. */
export const createGzip: typeof zlib.createGzip = (options) => loaded().createGzip(options);

export const gunzipSync: typeof zlib.gunzipSync = (bytes, options) => loaded().gunzipSync(bytes, options);

export const crc32: typeof zlib.crc32 = (data, value) => loaded().crc32(data, value);
