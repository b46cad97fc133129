/**
 * Gives out ids in the order in which they are asked for: random ones of the same millisecond would be listed in
 * another order in each recording. To be imported before the product.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

let count = 0;

function nextId(): `${string}-${string}-${string}-${string}-${string}` {
  count += 1;
  const order = count.toString(16).padStart(6, '0');
  // The end of an id is what commands show: each has another one.
  const end = ((count * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0');
  return `00${order}-0000-4${order.slice(0, 3)}-8${order.slice(3)}-0000${end}`;
}

crypto.randomUUID = nextId;
syncBuiltinESMExports();
