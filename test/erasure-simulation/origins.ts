/** Records whether the product or a user last wrote each value in the CRM. */
import type { MemoryCrm } from '../../connectors/memory/crm.ts';
import type { FieldValue } from '../../src/core/crm-field.ts';

export interface Origins {
  /** Records all values that the product has written since the last call. */
  follow(): void;
  /** Records that a user has typed a value. */
  typed(id: string, field: string, value: FieldValue): void;
  /** Records a merge. Blank fields of the winner get the loser's values. Call this function before the merge. */
  merged(loser: string, winner: string): void;
  of(id: string, field: string): 'us' | 'user';
  /** Returns true if the product has ever written into this field of the record. */
  everOurs(id: string, field: string): boolean;
}

export function createOrigins(crm: MemoryCrm): Origins {
  const by = new Map<string, 'us' | 'user'>();
  const typedTexts = new Set<string>();
  const written = new Set<string>();
  let seen = 0;

  function follow(): void {
    for (const { id, values } of crm.writes.slice(seen)) {
      for (const [field, value] of Object.entries(values)) {
        const key = keyOf(id, field);
        // An undo can restore a value that a user typed.
        const isTyped = value !== null && typedTexts.has(`${key}\n${value}`);
        by.set(key, isTyped ? 'user' : 'us');
        written.add(key);
      }
    }
    seen = crm.writes.length;
  }

  return {
    follow,
    typed(id, field, value) {
      follow();
      by.set(keyOf(id, field), 'user');
      typedTexts.add(`${keyOf(id, field)}\n${value}`);
    },
    merged(loser, winner) {
      follow();
      const own = crm.records.get(winner)?.values ?? {};
      for (const [field, value] of Object.entries(crm.records.get(loser)?.values ?? {})) {
        if (value === null || (own[field] ?? null) !== null) continue;
        const origin = by.get(keyOf(loser, field)) ?? 'user';
        by.set(keyOf(winner, field), origin);
        if (origin === 'user') typedTexts.add(`${keyOf(winner, field)}\n${value}`);
        else written.add(keyOf(winner, field));
      }
    },
    of: (id, field) => by.get(keyOf(id, field)) ?? 'user',
    everOurs: (id, field) => written.has(keyOf(id, field)),
  };
}

function keyOf(id: string, field: string): string {
  return `${id}\n${field}`;
}
