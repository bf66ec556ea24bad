// usage: node pack.mjs DIST PACK: writes all files of DIST into the single file PACK, each plain, with gzip and with
// brotli. src/api/console/bundle.h describes the form.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)]);
}

const [dist, pack] = process.argv.slice(2);
const parts = [];
let offset = 0;
function put(bytes) {
  parts.push(bytes);
  offset += bytes.length;
  return [offset - bytes.length, bytes.length];
}

const index = {};
for (const file of filesBelow(dist).sort()) {
  const type = types[extname(file)];
  if (!type) throw new Error(`pack.mjs: ${file} has no media type`);
  const bytes = readFileSync(file);
  index[relative(dist, file)] = {
    type,
    plain: put(bytes),
    gzip: put(gzipSync(bytes, { level: 9 })),
    brotli: put(brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })),
  };
}
const head = Buffer.from(JSON.stringify(index));
writeFileSync(pack, Buffer.concat([Buffer.from(String(head.length).padStart(8, '0')), head, ...parts]));
