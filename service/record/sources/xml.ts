/** Reads XML in small parts, so that a large file is never completely in memory. */

import sax from 'sax';
import { readDecoded } from './decoded.ts';

/**
 * An element with its text. Each text in the element has a key. The text's key is the path from the element to the
 * text, for example `USAddress/CityNm`. The key of the element's own text is an empty string.
 */
export interface Group {
  name: string;
  fields: ReadonlyMap<string, string>;
}

/** The maximum number of characters in one element. Elements that name people never contain more. */
const MOST_CHARACTERS = 4_000;
const MOST_FIELDS = 2_000;

/**
 * Yields the root element with its attributes (`@name`). Then yields each element that has one of these names. Ignores
 * all content outside these elements. Throws if the file is not complete XML.
 */
export async function* readGroups(
  file: string,
  wanted: ReadonlySet<string>,
): AsyncGenerator<Group> {
  const { parser, done } = createParser(wanted);
  for await (const text of readDecoded(file, (start) => DECLARATION.exec(start)?.[1])) {
    parser.write(text);
    yield* done.splice(0);
  }
  parser.close();
  yield* done.splice(0);
}

const DECLARATION = /^<\?xml[^>]*?encoding\s*=\s*["']([^"']+)["']/;

function createParser(wanted: ReadonlySet<string>) {
  const parser = sax.parser(true);
  const done: Group[] = [];
  let depth = 0;
  let open: { name: string; depth: number; fields: Map<string, string> } | null = null;
  const way: string[] = [];
  parser.onerror = (error) => {
    throw error;
  };
  parser.onopentag = ({ name, attributes }) => {
    depth += 1;
    const own = localName(name);
    if (depth === 1) {
      const fields = Object.entries(attributes).map(
        ([key, value]) => [`@${key}`, String(value)] as const,
      );
      done.push({ name: own, fields: new Map(fields) });
    }
    if (open !== null) way.push(own);
    else if (wanted.has(own)) open = { name: own, depth, fields: new Map() };
  };
  parser.ontext = (text) => {
    if (open === null || text.trim() === '') return;
    const key = way.join('/');
    const present = open.fields.get(key);
    if (present === undefined && open.fields.size >= MOST_FIELDS) return;
    open.fields.set(key, ((present ?? '') + text).slice(0, MOST_CHARACTERS).trim());
  };
  parser.onclosetag = () => {
    if (open?.depth === depth) {
      done.push({ name: open.name, fields: open.fields });
      open = null;
    } else {
      way.pop();
    }
    depth -= 1;
  };
  return { parser, done };
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
