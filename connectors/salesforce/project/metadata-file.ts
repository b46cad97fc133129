/** A file of the Salesforce Metadata API, in the form in which the command `sf` retrieves it. */

/**
 * A string becomes an element that contains the string. An object becomes an element that contains other elements. A
 * list becomes several elements. A name that starts with `@` becomes an attribute of the surrounding element.
 */
export interface MetadataElements {
  readonly [name: string]: MetadataValue | readonly MetadataValue[];
}

export type MetadataValue = string | number | boolean | MetadataElements;

const NAMESPACE = 'http://soap.sforce.com/2006/04/metadata';

/**
 * Writes the elements in alphabetical order, but `fullName` first. When the file is retrieved from Salesforce again,
 * the elements have the same order.
 */
export function metadataFile(type: string, elements: MetadataElements): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<${type} xmlns="${NAMESPACE}">`,
    ...toLines(elements, INDENT),
    `</${type}>`,
    '',
  ].join('\n');
}

const INDENT = '    ';

function toLines(elements: MetadataElements, indent: string): string[] {
  return Object.entries(elements)
    .filter(([name]) => !isAttribute(name))
    .toSorted(([one], [other]) => compareNames(one, other))
    .flatMap(([name, value]) =>
      [value].flat().flatMap((single) => elementLines(name, single, indent)),
    );
}

function elementLines(name: string, value: MetadataValue, indent: string): string[] {
  if (typeof value !== 'object') {
    return [`${indent}<${name}>${escapeXml(String(value))}</${name}>`];
  }
  const attributes = Object.entries(value)
    .filter(([attribute]) => isAttribute(attribute))
    .map(([attribute, text]) => ` ${attribute.slice(1)}="${escapeXml(String(text))}"`);
  return [
    `${indent}<${name}${attributes.join('')}>`,
    ...toLines(value, indent + INDENT),
    `${indent}</${name}>`,
  ];
}

function isAttribute(name: string): boolean {
  return name.startsWith('@');
}

function compareNames(one: string, other: string): number {
  if (one === 'fullName' || other === 'fullName') return one === 'fullName' ? -1 : 1;
  return one < other ? -1 : 1;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Escapes a string for an element and for an attribute. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
