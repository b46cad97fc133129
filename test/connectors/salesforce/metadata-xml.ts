/** Reads Metadata API files for tests. */
export interface Element {
  name: string;
  attributes: string;
  /** The text content of an element without children. */
  text: string;
  children: Element[];
}

/**
 * Parses a document that contains only elements and text. Throws an error if the elements are not nested correctly.
 */
export function parseMetadata(xml: string): Element {
  const [declaration, ...lines] = xml.split('\n');
  if (declaration !== '<?xml version="1.0" encoding="UTF-8"?>') throw new Error('no declaration');
  const root: Element = { name: '', attributes: '', text: '', children: [] };
  const open = [root];
  for (const [, end, name = '', attributes = '', text = ''] of lines
    .join('\n')
    .matchAll(/<(\/?)([\w.]+)([^<>]*)>([^<]*)/g)) {
    const around = open.at(-1);
    if (around === undefined) throw new Error(`</${name}> closes nothing`);
    if (end === '/') {
      if (around.name !== name) throw new Error(`</${name}> closes <${around.name}>`);
      open.pop();
    } else {
      const element = { name, attributes, text: plain(text), children: [] };
      around.children.push(element);
      open.push(element);
    }
  }
  const [only, ...others] = root.children;
  if (only === undefined || others.length > 0 || open.length > 1)
    throw new Error('not one element');
  return only;
}

/** Returns the text content of the children with this name. */
export function textsOf({ children }: Element, name: string): string[] {
  return children.filter((child) => child.name === name).map(({ text }) => text);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&amp;': '&',
};

function plain(text: string): string {
  return text.replace(/&\w+;/g, (entity) => ENTITIES[entity] ?? entity).trim();
}
