import { readNameTable } from './name-table.ts';

/**
 * True if two different given names can be those of one person: one is short for the other
 * (`Bob`, `Robert`), both are short for the same name (`Liz`, `Beth`), or both are spellings of
 * it (`Katherine`, `Catherine`). The names are in lower case without accents.
 */
export function shareRoot(one: string, other: string): boolean {
  const mine = roots().get(one);
  return (
    mine !== undefined &&
    (roots()
      .get(other)
      ?.some((root) => mine.includes(root)) ??
      false)
  );
}

/** True if the word is a name with forms, or one of the forms. */
export function hasNicknames(word: string): boolean {
  return roots().has(word);
}

let rootsByForm: ReadonlyMap<string, readonly string[]> | undefined;

/** The names that each form may stand for; a name stands for itself too. */
function roots(): ReadonlyMap<string, readonly string[]> {
  rootsByForm ??= indexForms(readForms());
  return rootsByForm;
}

/**
 * The short, pet and variant forms of English and Spanish given names as they are in use in the
 * United States. A form may belong to several names (`Pat`, `Chris`), which does not make those
 * related: `Patrick` is not `Patricia`. Translations (`José`, `Joseph`) are left out on purpose,
 * and so are the forms that only genealogists know.
 */
function readForms(): { name: string; forms: readonly string[] }[] {
  return readNameTable('nicknames.csv').map(([name, forms]) => ({ name, forms: forms.split(' ') }));
}

function indexForms(table: ReturnType<typeof readForms>): Map<string, string[]> {
  const index = new Map(table.map(({ name }) => [name, [name]]));
  for (const { name, forms } of table) {
    for (const form of forms) index.set(form, [...(index.get(form) ?? []), name]);
  }
  return index;
}
