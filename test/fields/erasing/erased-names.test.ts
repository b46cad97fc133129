import { createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FieldMapping } from '../../../src/core/field-map.ts';
import { createFingerprint } from '../../../src/database/encryption/fingerprint.ts';
import {
  fingerprintName,
  fingerprintTexts,
  namesOfPerson,
  rememberWords,
  type WordFingerprints,
} from '../../../src/fields/erasing/erased-names.ts';

const fingerprint = createFingerprint(createSecretKey(Buffer.alloc(32, 7)));

const MAPPINGS = [
  { from: 'bio', to: 'Bio' },
  { from: 'work.all', to: 'Work' },
] as FieldMapping[];

/** Returns the fingerprints of a contact's strings. */
function written(
  wordsIn: WordFingerprints,
  crmId: string,
  bio: string,
  work: string | null = null,
): Record<string, string> {
  const contact = fingerprint('forgotten', crmId);
  return fingerprintTexts(wordsIn, contact, { Bio: bio, Work: work }, MAPPINGS);
}

function isNamed(first: string, last: string, crmId: string, words: string | undefined): boolean {
  const name = fingerprintName(rememberWords(fingerprint), { first, last }) ?? '';
  return namesOfPerson(fingerprint, [name]).areInWritten(
    fingerprint('forgotten', crmId),
    words ?? '',
  );
}

test('a name is found in the second contact whose text has it as in the first, and no other name is', () => {
  const wordsIn = rememberWords(fingerprint);
  const bio = 'Married to Élan O’Neil-Straße, of the board.';
  for (const crmId of ['1', '2']) {
    const { Bio: words } = written(wordsIn, crmId, bio);
    expect(isNamed('Elan', 'ONeil', crmId, words)).toBe(false);
    expect(isNamed('ELAN', 'neil', crmId, words)).toBe(true);
    expect(isNamed('Elan', 'board', crmId, words)).toBe(false);
  }
});

test('the same text looks different in another contact', () => {
  const wordsIn = rememberWords(fingerprint);
  const [one, other] = ['1', '2'].map((crmId) => written(wordsIn, crmId, 'Jane Doe')['Bio']);
  expect(one).toHaveLength(12);
  expect(other).toHaveLength(12);
  expect(one).not.toBe(other);
});

test('a text has the same words if it is in ASCII as if one more word is not', () => {
  const wordsIn = rememberWords(fingerprint);
  const ascii = fc.stringMatching(/^[ -~\n]{0,80}$/);
  fc.assert(
    fc.property(ascii, (text) => {
      expect(written(wordsIn, '1', text)).toEqual(written(wordsIn, '1', `${text} é`));
    }),
    { numRuns: 500 },
  );
});

test('a word that a text has in two spellings is one word, which is no name', () => {
  const wordsIn = rememberWords(fingerprint);
  expect(written(wordsIn, '1', 'Élan, ELAN and Elan')).toEqual({});
  expect(written(wordsIn, '1', 'Élan, ELAN and Doe')['Bio']).toHaveLength(12);
});

test('what is remembered of a text is the same whatever words were known before, and however many', () => {
  const wordsIn = rememberWords(fingerprint);
  for (let at = 0; at < 9_000; at += 1) written(wordsIn, `${at}`, `Jane W${at} and the Others`);
  const texts = ['Jane Doe and the Others', 'Doe & Sons; ｄＯＥ; 李小龙 Jane'] as const;
  const anew = written(rememberWords(fingerprint), '1', ...texts);
  expect(written(wordsIn, '1', ...texts)).toEqual(anew);
  expect(Object.keys(anew)).toEqual(['Bio', 'Work']);
});
