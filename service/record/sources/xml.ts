/** Reads XML piece by piece: a file is never held whole, however large it is. */

import { createReadStream } from 'node:fs';
import sax from 'sax';
import { ImportProblem } from '../problem.ts';

/** An element with its texts, each by its way from the element: `USAddress/CityNm`; its own is at ''. */
export interface Group {
  name: string;
  fields: ReadonlyMap<string, string>;
}

/** More of one text, and more texts of one element, are in no record that names people. */
const MOST_CHARACTERS = 4_000;
const MOST_FIELDS = 2_000;

/**
 * The root with its attributes (`@name`), and then each element of one of these names as it ends. What
 * is in no such element is passed over. Throws where the file is no whole XML.
 */
export async function* readGroups(
  file: string,
  wanted: ReadonlySet<string>,
): AsyncGenerator<Group> {
  const { parser, done } = createParser(wanted);
  for await (const text of readDecoded(file)) {
    parser.write(text);
    yield* done.splice(0);
  }
  parser.close();
  yield* done.splice(0);
}

/** The declaration of a file is at its beginning, and in ASCII. */
const DECLARATION = /^<\?xml[^>]*?encoding\s*=\s*["']([^"']+)["']/;
const MOST_OF_DECLARATION = 200;

/** Decodes a file as its declaration says; throws `ImportProblem` if that is not possible. */
async function* readDecoded(file: string): AsyncGenerator<string> {
  let decoder: TextDecoder | null = null;
  let encoding = 'utf-8';
  try {
    for await (const chunk of createReadStream(file)) {
      const bytes = Buffer.from(chunk);
      if (decoder === null) {
        const start = bytes.subarray(0, MOST_OF_DECLARATION).toString('latin1');
        encoding = DECLARATION.exec(start)?.[1] ?? encoding;
        decoder = new TextDecoder(encoding, { fatal: true });
      }
      yield decoder.decode(bytes, { stream: true });
    }
    if (decoder !== null) yield decoder.decode();
  } catch (error) {
    if (error instanceof RangeError)
      throw new ImportProblem(file, [`The encoding ${encoding} is not known.`]);
    if (error instanceof TypeError)
      throw new ImportProblem(file, [`The text is not valid ${encoding}.`]);
    throw error;
  }
}

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
