/** The question about a client's name, and the ID that is built from it. */
import { checkedBy, type Question } from './question.ts';

const MAX_NAME_LENGTH = 120;

export const NAME: Question = {
  setting: 'name',
  noun: 'the name of the nonprofit',
  ask: 'What is the name of the nonprofit?',
  label: 'Name of the nonprofit',
  schema: checkedBy((text) =>
    text.length > MAX_NAME_LENGTH ? `at most ${MAX_NAME_LENGTH} characters` : null,
  ),
  initial: 'My nonprofit',
};

/** Yields IDs for a name without end, best first: `riverside`, `riverside-2`, and so on. */
export function* proposeIds(name: string): Generator<string, never> {
  const stem = toId(name);
  yield stem;
  for (let number = 2; ; number += 1) yield `${stem}-${number}`;
}

/**
 * The maximum length of the name in an ID. An ID has at most 63 characters, and a number and the names of variables
 * must fit too.
 */
const MAX_STEM_LENGTH = 40;

/** Returns a name as an ID, such as `eglise-saint-jean` for `Église Saint-Jean`. */
function toId(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}+/gu, '');
  const words = plain.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return words.replace(/^-|-$/g, '').slice(0, MAX_STEM_LENGTH).replace(/-$/, '') || 'client';
}
