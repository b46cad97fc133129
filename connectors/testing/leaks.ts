/** Finds all strings in an error that could appear in a log or a report. */
import { inspect } from 'node:util';

/**
 * Returns all strings in an error, at any depth: the message, the details, the causes and the error's own properties.
 * The CRM's own text is excluded, because donor-sync stores it separately and encrypted.
 */
export function errorTexts(error: unknown): string[] {
  const texts: string[] = [];
  const seen = new Set<unknown>();
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null) {
      texts.push(String(value));
      return;
    }
    if (seen.has(value)) return;
    seen.add(value);
    if (!isPlain(value) && !(value instanceof Error)) {
      texts.push(inspect(value, { depth: null, maxArrayLength: null, maxStringLength: null }));
      return;
    }
    const names = value instanceof Error ? Object.getOwnPropertyNames(value) : Object.keys(value);
    for (const name of names) {
      if (name === 'words' || name === 'stack') continue;
      texts.push(name);
      visit(Reflect.get(value, name));
    }
  };
  visit(error);
  return texts;
}

function isPlain(value: object): boolean {
  return Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value));
}
