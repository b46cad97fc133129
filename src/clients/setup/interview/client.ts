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

/** Yields an endless sequence of IDs for a name, best first: `riverside`, `riverside-2`, and so on. */
export function* proposeIds(name: string): Generator<string, never> {
  const stem = toId(name);
  yield stem;
  for (let number = 2; ; number += 1) yield `${stem}-${number}`;
}

/**
 * The maximum length of the ID's part that comes from the name. An ID has at most 63 characters, and a number and
 * variable names need space too.
 */
const MAX_STEM_LENGTH = 40;

function toId(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}+/gu, '');
  const words = plain.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return words.replace(/^-|-$/g, '').slice(0, MAX_STEM_LENGTH).replace(/-$/, '') || 'client';
}
