/** Short forms of first names. They are general knowledge, so the matcher is allowed to use them too. */
import { z } from 'zod';
import { readDataFile } from './data-file.ts';

/**
 * Returns the short forms of a first name. For example, Robert has the short forms Bob, Rob and Bobby. The list is
 * empty if the name has no short forms.
 */
export function nicknamesOf(firstName: string): readonly string[] {
  return readNicknames().shortForms.get(capitalised(firstName)) ?? [];
}

/**
 * Returns the first names that have this short form. For example, Ted can mean Edward or Theodore. The list is empty if
 * the name is not a short form.
 */
export function formalNamesOf(nickname: string): readonly string[] {
  return readNicknames().longForms.get(capitalised(nickname)) ?? [];
}

/**
 * Returns true if one person can use both first names. The names are equal, one is a short form of the other, or both
 * are short forms of the same name.
 */
export function areSameFirstName(one: string, other: string): boolean {
  const others = new Set(formsOf(other));
  return formsOf(one).some((form) => others.has(form));
}

function formsOf(name: string): string[] {
  return [capitalised(name), ...formalNamesOf(name)];
}

interface Nicknames {
  shortForms: ReadonlyMap<string, readonly string[]>;
  longForms: ReadonlyMap<string, readonly string[]>;
}

const row = z.object({
  name: z.string(),
  short_forms: z.string().transform((text) => text.split(' ')),
});

let nicknames: Nicknames | undefined;

/** Reads the file on first use. */
function readNicknames(): Nicknames {
  nicknames ??= nicknamesFromFile();
  return nicknames;
}

function nicknamesFromFile(): Nicknames {
  const rows = readDataFile('nicknames.csv', row);
  const longForms = new Map<string, string[]>();
  for (const { name, short_forms } of rows) {
    for (const short of short_forms) {
      longForms.set(short, [...(longForms.get(short) ?? []), name]);
    }
  }
  return {
    shortForms: new Map(rows.map(({ name, short_forms }) => [name, short_forms])),
    longForms,
  };
}

function capitalised(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1).toLowerCase();
}
