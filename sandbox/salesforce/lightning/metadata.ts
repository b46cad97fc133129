/** Reads files of the Metadata API, as an org does when a project is deployed. */

import { parser } from 'sax';

export interface Element {
  name: string;
  attributes: Readonly<Record<string, string>>;
  text: string;
  children: Element[];
}

/**
 * A deployed project. The map contains the content of each file by its path. The order is the order of the package
 * directories.
 */
export type Project = ReadonlyMap<string, string>;

/** Reads the components of one kind. The map's key is the component's name. */
export function readComponents(project: Project, suffix: string): Map<string, Element> {
  const ending = `.${suffix}-meta.xml`;
  return new Map(
    [...project]
      .filter(([path]) => path.endsWith(ending))
      .map(([path, text]) => [
        path.slice(path.lastIndexOf('/') + 1, -ending.length),
        parseXml(text),
      ]),
  );
}

export function childrenOf(element: Element, name: string): Element[] {
  return element.children.filter((child) => child.name === name);
}

export function childOf(element: Element, name: string): Element | undefined {
  return childrenOf(element, name)[0];
}

/** Returns the text of the element at this path, or undefined if the element does not exist. */
export function textOf(element: Element, ...names: string[]): string | undefined {
  let found: Element | undefined = element;
  for (const name of names) found = found && childOf(found, name);
  return found?.text;
}

function parseXml(xml: string): Element {
  const root: Element = { name: '', attributes: {}, text: '', children: [] };
  const open = [root];
  const reader = parser(true);
  reader.onopentag = ({ name, attributes }) => {
    const plain = Object.entries(attributes).map(([key, value]) => [key, String(value)]);
    const element = { name, attributes: Object.fromEntries(plain), text: '', children: [] };
    open.at(-1)?.children.push(element);
    open.push(element);
  };
  reader.ontext = (text) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += text.trim();
  };
  reader.onclosetag = () => {
    open.pop();
  };
  reader.onerror = (error) => {
    throw error;
  };
  reader.write(xml).close();
  const [only] = root.children;
  if (only === undefined) throw new Error('The file has no element.');
  return only;
}
