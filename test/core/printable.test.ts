import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainJson, plainLine, plainText } from '../../src/core/printable.ts';
import { ACTING } from '../helpers/acting.ts';

describe('plainText', () => {
  it.each([
    ['a sequence that moves the cursor', 'a\u001b[2Jb\u001b[1;1Hc'],
    ['one of the eighth bit', 'a\u009b2Jbc'],
    ['a string for the clipboard', 'a\u001b]52;c;aGVsbG8=\u0007bc'],
    ['a string with the other end', 'a\u001b]0;title\u001b\\bc'],
    ['a string of the eighth bit', 'a\u009d0;title\u009cbc'],
    ['a link', 'a\u001b]8;;http://x\u001b\\b\u001b]8;;\u001b\\c'],
    ['a device control string', 'a\u001bP1$r\u001b\\bc'],
    ['the reset', 'a\u001bcbc'],
    ['alerts and backspaces', 'a\u0007b\u0008c'],
    ['what reverses the direction', 'a\u202eb\u2066c\u2069\u202c\u061c\u200e\u200f'],
    ['what is not to be seen', '\ufeffa\u200bb\u2060c\u{e0041}\u00ad'],
    ['halves of surrogates', 'a\ud800b\udfffc'],
  ])('takes out %s', (_, text) => {
    expect(plainText(text)).toBe('abc');
  });

  it('keeps lines, tabs, joined letters and emoji', () => {
    const text = 'a\tb\nمی\u200cخواهم क्\u200dष 👩‍👩‍👧 é 漢字';
    expect(plainText(text)).toBe(text);
    expect(plainText('a\r\nb\rc\u2028d')).toBe('a\nb\nc\nd');
  });

  it('loses nothing behind a string that has no end', () => {
    expect(plainText('The field \u001b]52;c;x is wrong. Correct it.\nDone.')).toBe(
      'The field 52;c;x is wrong. Correct it.\nDone.',
    );
  });

  it('removes control sequences from any text, and does not change a plain text', () => {
    const unit = fc.constantFrom(
      ...['a', ' ', '\n', '\u001b', '[', ']', '\\', '\u0007', '\u009b', '\u009c', '\u202e'],
      ...['2', 'J', ';', '\ud83d', '\ude00', '\u200d', '\u0000'],
    );
    fc.assert(
      fc.property(fc.array(unit), (parts) => {
        const plain = plainText(parts.join(''));
        expect(plain).not.toMatch(ACTING);
        expect(plainText(plain)).toBe(plain);
      }),
    );
  });

  it('takes no longer for a text that is made to be slow', () => {
    // If the time were quadratic, the test would take minutes.
    for (const unit of ['\u001b]', '\u001b]a', '\u001b[1;', 'a ', ' ', '\u009d\u0090']) {
      expect(plainLine(unit.repeat(200_000))).not.toMatch(ACTING);
    }
  });
});

describe('plainLine', () => {
  it('puts all of it on one line', () => {
    expect(plainLine('a\u001b[2Jb\nc\u0007d  e\tf')).toBe('ab cd e f');
    expect(plainLine('plain text')).toBe('plain text');
  });
});

describe('plainJson', () => {
  it('escapes what acts and means the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const json = plainJson(JSON.stringify({ text }));
        expect(json).not.toMatch(ACTING);
        expect(JSON.parse(json)).toEqual({ text });
      }),
    );
  });
});
