/**
 * Makes IDs and keys the same in each recording. IDs are in the order of the calls. Random IDs from the same
 * millisecond would be listed in a different order each time, and random keys would choose different samples. Import
 * this file before the product, but never in a test.
 */
import crypto, { hash } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

let ids = 0;

function nextId(): `${string}-${string}-${string}-${string}-${string}` {
  ids += 1;
  const order = ids.toString(16).padStart(6, '0');
  // Commands show only the end of an ID, so each ID has a different end.
  const end = ((ids * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0');
  return `00${order}-0000-4${order.slice(0, 3)}-8${order.slice(3)}-0000${end}`;
}

let blocks = 0;

function nextBytes(size: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at += 32) {
    blocks += 1;
    bytes.set(hash('sha256', `block ${blocks}`, 'buffer').subarray(0, size - at), at);
  }
  return bytes;
}

Object.assign(crypto, { randomUUID: nextId, randomBytes: nextBytes });
syncBuiltinESMExports();
