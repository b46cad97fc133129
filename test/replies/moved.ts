/**
 * Renames requests and commands that had different names in earlier recordings. Their responses can then still be
 * compared.
 */

export type Moves = readonly (readonly [RegExp, string])[];

/** Renames that are applied one after the other to the keys of an earlier recording. */
export const MOVES: Moves = [
  [/^command \| people/, 'command | users'],
  [/^command \| ((?:tokens|hooks) revoke (?!--|\|)\S+)/, 'command | $1 --yes'],
  [/^command \| credits reconcile (\S+) --csv/, 'command | credits bill --month $1 --csv'],
  [/^command \| hooks show((?: --json)? \| good)/, 'command | hooks list$1'],
  [/^api \| (\w+) \/v1\/people/, 'api | $1 /v1/users'],
  [/^api \| PATCH (\/v1\/users\/[^|]+) \| disable/, 'api | POST $1/disable | good'],
  [/^api \| PATCH (\/v1\/users\/[^|]+) \|/, 'api | PUT $1/role |'],
  [/^api \| DELETE (\/v1\/[^|]+) \|/, 'api | DELETE $1?digest=<digest> |'],
  [/\/schedule\/resume \| resume/, '/schedule/resume | good'],
  [
    /^page \| POST (\/decisions\/batches\/[^|]+\/(?:approve|reject)) \|/,
    'page | POST $1?until=9999999999999 |',
  ],
  [/^command \| users link ((?!--)\S+)( --json)? \|/, 'command | users link $1 --out link.txt$2 |'],
  [
    /^page \| POST \/decisions\/waiting\/([^/]+)\/take-back/,
    'page | POST /decisions/answers/$1/withdraw',
  ],
  [/^page \| (\w+) \/people/, 'page | $1 /users'],
  [/^page \| POST (\/users\/[^|]+)\/rights/, 'page | POST $1/role'],
];

/**
 * Returns the keys that the same response has in a later recording. A request that keeps its name is compared only
 * with itself. A request that is now restricted to signed-in users is compared with two later requests, because it is
 * refused with a token.
 */
export function laterKeys(
  key: string,
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): string[] {
  const moved = MOVES.reduce((text, [pattern, by]) => text.replace(pattern, by), key);
  const same = after.has(key) ? key : moved;
  return [same, `${same}, signed in`].filter(
    (later) => after.has(later) && (later === key || !before.has(later)),
  );
}
