import { expect, it } from 'vitest';
import { calledName } from '../../src/paths/sentence.ts';

it.each<[string | null, string | null, string]>([
  ['Anna', 'Smith', 'Anna'],
  ['  Anna  Maria ', 'Smith', 'Anna Maria'],
  ['Scott T', 'Smith', 'Scott'],
  ['Scott T.', 'Smith', 'Scott'],
  ['ANNA', 'SMITH', 'Anna'],
  ["jean-luc o'neil", 'Smith', "Jean-Luc O'Neil"],
  ['E.', 'Smith', 'E. Smith'],
  ['J.P.', 'Smith', 'J.P. Smith'],
  ['JP', 'Smith', 'JP Smith'],
  ['Li', 'Wei', 'Li'],
  ['jo', 'Smith', 'Jo'],
  ['McKenna', 'Smith', 'McKenna'],
  [null, 'Smith', 'Smith'],
  [' ', null, 'this person'],
])('calls %j %j by %j', (firstName, lastName, called) => {
  expect(calledName({ firstName, lastName })).toBe(called);
});
