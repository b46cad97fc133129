import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import type { FieldMapping } from '../../../src/core/field-map.ts';
import { createFingerprint } from '../../../src/database/encryption/fingerprint.ts';
import {
  fingerprintName,
  fingerprintTexts,
  type KnownWords,
  namesOfPerson,
} from '../../../src/fields/erasing/erased-names.ts';

const fingerprint = createFingerprint(createSecretKey(Buffer.alloc(32, 7)));

const MAPPINGS = [
  { from: 'bio', to: 'Bio' },
  { from: 'work.all', to: 'Work' },
] as FieldMapping[];

/** The fingerprints of the texts of a contact. */
function written(known: KnownWords, crmId: string, bio: string, work: string | null = null) {
  return fingerprintTexts(fingerprint, known, crmId, { Bio: bio, Work: work }, MAPPINGS);
}

function isNamed(first: string, last: string, crmId: string, words: string | undefined): boolean {
  const name = fingerprintName(fingerprint, { first, last }) ?? '';
  return namesOfPerson(fingerprint, [name]).areInWritten(
    fingerprint('forgotten', crmId),
    words ?? '',
  );
}

test('a name is found in the second contact whose text has it as in the first, and no other name is', () => {
  const known: KnownWords = new Map();
  const bio = 'Married to Élan O’Neil-Straße, of the board.';
  for (const crmId of ['1', '2']) {
    const { Bio: words } = written(known, crmId, bio);
    expect(isNamed('Elan', 'ONeil', crmId, words)).toBe(false);
    expect(isNamed('ELAN', 'neil', crmId, words)).toBe(true);
    expect(isNamed('Elan', 'board', crmId, words)).toBe(false);
  }
});

test('the same text looks different in another contact', () => {
  const known: KnownWords = new Map();
  const [one, other] = ['1', '2'].map((crmId) => written(known, crmId, 'Jane Doe').Bio);
  expect(one).toHaveLength(12);
  expect(other).toHaveLength(12);
  expect(one).not.toBe(other);
});

test('what is remembered of a text is the same whatever words were known before, and however many', () => {
  const known: KnownWords = new Map();
  for (let at = 0; at < 9_000; at += 1) written(known, `${at}`, `Jane W${at} and the Others`);
  expect(known.size).toBeLessThanOrEqual(4_000);
  const texts = ['Jane Doe and the Others', 'Doe & Sons; ｄＯＥ; 李小龙 Jane'] as const;
  expect(written(known, '1', ...texts)).toEqual(written(new Map(), '1', ...texts));
  expect(Object.keys(written(known, '1', ...texts))).toEqual(['Bio', 'Work']);
});
