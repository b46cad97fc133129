/** Which first names one person may use: long and short forms, from public lists. */

import { z } from 'zod';
import { readDataFile } from '../../people/data-file.ts';

const listed = z.object({
  name: z.string(),
  nicknames: z.string().transform((text) => text.split(' ')),
});
const common = z
  .object({ name: z.string(), short_forms: z.string() })
  .transform(({ name, short_forms }) => ({
    name: name.toLowerCase(),
    nicknames: short_forms.toLowerCase().split(' '),
  }));

interface Nicknames {
  shorts: Map<string, Set<string>>;
  longs: Map<string, Set<string>>;
}

let nicknames: Nicknames | undefined;

/**
 * The other first names of those who bear this one: its short and its long forms, and the other
 * short forms of those. The files are read when they are first asked for.
 */
export function formsOf(name: string): Set<string> {
  nicknames ??= fromFiles();
  const { shorts, longs } = nicknames;
  const long = longs.get(name) ?? [];
  const siblings = [...long].flatMap((one) => [...(shorts.get(one) ?? [])]);
  const forms = new Set([...(shorts.get(name) ?? []), ...long, ...siblings]);
  forms.delete(name);
  return forms;
}

/** Whether one of two names is a short form of the other. */
export function isShortFor(one: string, other: string): boolean {
  nicknames ??= fromFiles();
  const { shorts } = nicknames;
  return shorts.get(one)?.has(other) === true || shorts.get(other)?.has(one) === true;
}

function fromFiles(): Nicknames {
  const shorts = new Map<string, Set<string>>();
  const longs = new Map<string, Set<string>>();
  const rows = [
    ...readDataFile('nickname_pairs.csv', listed),
    ...readDataFile('nicknames.csv', common),
  ];
  for (const { name, nicknames: short } of rows) {
    for (const nickname of short) {
      add(shorts, name, nickname);
      add(longs, nickname, name);
    }
  }
  return { shorts, longs };
}

function add(to: Map<string, Set<string>>, key: string, value: string): void {
  const values = to.get(key);
  if (values === undefined) to.set(key, new Set([value]));
  else values.add(value);
}
