/** Requests and commands that had other names in earlier recordings. Their responses are still compared. */

export type Moves = readonly (readonly [RegExp, string])[];

/** One after the other, applied to the keys of an earlier recording. */
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
  [/^page \| (\w+) \/people/, 'page | $1 /users'],
  [/^page \| POST (\/users\/[^|]+)\/rights/, 'page | POST $1/role'],
];

/** Requests that used to be made with access tokens, and are now for users who have signed in. */
const FOR_USERS = /^api \| (?:POST|PUT|DELETE) \/v1\/users/;

/** The keys under which a later recording may have the response. */
export function laterKeys(key: string, moves: Moves = MOVES): string[] {
  const moved = moves.reduce((text, [pattern, by]) => text.replace(pattern, by), key);
  return FOR_USERS.test(moved) ? [moved, `${moved}, signed in`] : [moved];
}
