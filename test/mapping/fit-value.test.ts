import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CRM_FIELD_TYPES, type CrmFieldType } from '../../src/core/crm-field.ts';
import { fitValue } from '../../src/mapping/fit.ts';
import type { RawValue } from '../../src/mapping/raw-value.ts';
import { startCpuTime } from '../helpers/cpu-time.ts';
import { aField } from './samples.ts';

function fitted(raw: RawValue, traits: Parameters<typeof aField>[0]): unknown {
  const fit = fitValue(raw, aField(traits));
  return fit.fits ? fit.value : fit.reason;
}

const million: RawValue = { kind: 'number', value: 1_000_000 };
const list: RawValue = { kind: 'list', items: ['Acme, Inc.', 'Beta', 'Gamma Ltd.'] };

describe('fitValue for texts', () => {
  it('refuses to cut a text that would be false then, and says how long it is', () => {
    expect(
      fitted({ kind: 'text', text: 'x'.repeat(62) }, { name: 'Employer__c', maxLength: 40 }),
    ).toBe('Employer__c holds at most 40 characters; the value has 62: make the field longer.');
  });

  it('takes out what acts on a terminal, reverses the direction of writing or hides in a text', () => {
    const text = '\u001b]0;t\u0007Ann\u202e Lee\u200b';
    expect(fitted({ kind: 'text', text }, {})).toBe('Ann Lee');
    expect(fitted({ kind: 'prose', text: `${text}\n${text}` }, { type: 'longText' })).toBe(
      'Ann Lee\nAnn Lee',
    );
    expect(fitted({ kind: 'list', items: [text, 'Beta'] }, {})).toBe('Ann Lee; Beta');
    expect(fitted({ kind: 'list', items: [text] }, { type: 'multiPicklist' })).toBe('Ann Lee');
    expect(fitted({ kind: 'url', text: 'https://a.test/\u202eb' }, { type: 'url' })).toBe(
      'https://a.test/b',
    );
  });

  it('cuts prose after a word', () => {
    const prose: RawValue = { kind: 'prose', text: 'Founded Acme, then sold it.' };
    expect(fitted(prose, { maxLength: 27 })).toBe('Founded Acme, then sold it.');
    expect(fitted(prose, { maxLength: 15 })).toBe('Founded Acme…');
    expect(fitted(prose, { maxLength: 14 })).toBe('Founded Acme…');
    expect(fitted(prose, { maxLength: 12 })).toBe('Founded…');
    expect(fitted(prose, { maxLength: 5 })).toBe('Foun…');
  });

  it('cuts no character in half', () => {
    expect(fitted({ kind: 'prose', text: '😀😀😀' }, { maxLength: 4 })).toBe('😀…');
  });

  it('does not write an ellipsis alone', () => {
    expect(fitValue({ kind: 'prose', text: 'word' }, aField({ maxLength: 1 })).fits).toBe(false);
  });

  it('cuts a list after an item', () => {
    expect(fitted(list, {})).toBe('Acme, Inc.; Beta; Gamma Ltd.');
    expect(fitted(list, { maxLength: 27 })).toBe('Acme, Inc.; Beta; …');
    expect(fitted(list, { maxLength: 13 })).toBe('Acme, Inc.; …');
    expect(fitted(list, { maxLength: 9 })).toBe('Acme…');
  });

  it('keeps paragraphs only where a field has lines', () => {
    const prose: RawValue = { kind: 'prose', text: 'One.\n\nTwo.' };
    expect(fitted(prose, { type: 'longText' })).toBe('One.\n\nTwo.');
    expect(fitted(prose, { type: 'text' })).toBe('One. Two.');
  });

  it('counts a line break as the two characters that Salesforce stores', () => {
    const prose: RawValue = { kind: 'prose', text: 'One.\n\nTwo.' };
    expect(fitted(prose, { type: 'longText', maxLength: 12 })).toBe('One.\n\nTwo.');
    expect(fitted(prose, { type: 'longText', maxLength: 11 })).toBe('One…');
  });

  it('writes only web addresses into a URL field', () => {
    const page: RawValue = { kind: 'url', text: 'https://service.test/a' };
    expect(fitted(page, { type: 'url' })).toBe('https://service.test/a');
    expect(
      fitValue({ kind: 'url', text: 'javascript:alert(1)' }, aField({ type: 'url' })).fits,
    ).toBe(false);
    expect(fitValue({ kind: 'text', text: 'Acme' }, aField({ type: 'url' })).fits).toBe(false);
  });

  it('does not fit a blank', () => {
    expect(fitValue({ kind: 'text', text: ' ' }, aField()).fits).toBe(false);
    expect(fitValue({ kind: 'list', items: [] }, aField()).fits).toBe(false);
  });
});

describe('fitValue for numbers', () => {
  it('writes plain digits into a text', () => {
    expect(fitted(million, {})).toBe('1000000');
    expect(fitted({ kind: 'number', value: 1e21 }, {})).toBe('1000000000000000000000');
    expect(fitted({ kind: 'number', value: 1e-7 }, {})).toBe('0.0000001');
    expect(fitValue(million, aField({ maxLength: 6 })).fits).toBe(false);
  });

  it('rounds to the digits after the point that the field keeps', () => {
    const value: RawValue = { kind: 'number', value: 1234.567 };
    expect(fitted(value, { type: 'number', decimalDigits: 2 })).toBe(1234.57);
    expect(fitted(value, { type: 'currency', decimalDigits: null })).toBe(1234.567);
    expect(fitted(value, { type: 'integer' })).toBe(1235);
    expect(fitted({ kind: 'number', value: -0.2 }, { type: 'integer' })).toBe(0);
  });

  it('never gives up digits before the point', () => {
    expect(fitted(million, { type: 'number', integerDigits: 7 })).toBe(1_000_000);
    expect(fitted(million, { type: 'number', integerDigits: 6, name: 'Low__c' })).toBe(
      'Low__c holds at most 6 digits before the decimal point; the value has 7: give the field more digits.',
    );
    const rounded: RawValue = { kind: 'number', value: 999.5 };
    expect(fitValue(rounded, aField({ type: 'integer', integerDigits: 3 })).fits).toBe(false);
  });

  it('shows a share as a percentage only in a percent field', () => {
    const share: RawValue = { kind: 'share', value: 0.72 };
    expect(fitted(share, { type: 'percent' })).toBe(72);
    expect(fitted(share, { type: 'number', decimalDigits: 2 })).toBe(0.72);
    expect(fitted(share, {})).toBe('0.72');
    expect(fitValue(share, aField({ type: 'number', decimalDigits: 0 })).fits).toBe(false);
    expect(fitValue(share, aField({ type: 'integer' })).fits).toBe(false);
  });

  it('refuses a share that is none', () => {
    for (const value of [-0.1, 1.1, Number.NaN]) {
      expect(fitValue({ kind: 'share', value }, aField({ type: 'percent' })).fits).toBe(false);
    }
  });

  it('refuses what is not a number', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(fitValue({ kind: 'number', value }, aField({ type: 'number' })).fits).toBe(false);
      expect(fitValue({ kind: 'number', value }, aField()).fits).toBe(false);
    }
  });
});

describe('fitValue for dates', () => {
  const instant: RawValue = { kind: 'instant', epochMs: Date.UTC(2026, 10, 20, 23, 59, 59, 5) };

  it('gives a date field the day in UTC and a datetime field the instant', () => {
    expect(fitted(instant, { type: 'date' })).toBe('2026-11-20');
    expect(fitted(instant, { type: 'datetime' })).toBe('2026-11-20T23:59:59.005Z');
  });

  it('gives a short text the day', () => {
    expect(fitted(instant, { maxLength: 24 })).toBe('2026-11-20T23:59:59.005Z');
    expect(fitted(instant, { maxLength: 10 })).toBe('2026-11-20');
    expect(fitValue(instant, aField({ maxLength: 9 })).fits).toBe(false);
  });

  it('refuses an instant that no calendar has', () => {
    expect(fitValue({ kind: 'instant', epochMs: 1e20 }, aField({ type: 'date' })).fits).toBe(false);
  });
});

describe('fitValue for picklists', () => {
  const employers = ['Acme  Inc', 'beta', 'Gamma'];

  it('uses the spelling of the option', () => {
    const traits = { type: 'picklist', options: employers, restricted: true } as const;
    expect(fitted({ kind: 'text', text: ' BETA ' }, traits)).toBe('beta');
    expect(fitted({ kind: 'text', text: 'Acme Inc' }, traits)).toBe('Acme  Inc');
    expect(fitValue({ kind: 'text', text: 'Delta' }, aField(traits)).fits).toBe(false);
  });

  it('compares a text of very many blanks with the options at once', () => {
    const text = `Acme${' '.repeat(200_000)}Inc - East`;
    const traits = { type: 'picklist', options: ['acme inc-east'], restricted: true } as const;
    const tookMs = startCpuTime();
    expect(fitted({ kind: 'text', text }, traits)).toBe('acme inc-east');
    expect(tookMs()).toBeLessThan(1_000);
  });

  it('adds a value to a picklist that is not restricted', () => {
    const traits = { type: 'picklist', options: employers, maxLength: 5 } as const;
    expect(fitted({ kind: 'text', text: 'Delta' }, traits)).toBe('Delta');
    expect(fitValue({ kind: 'text', text: 'Epsilon' }, aField(traits)).fits).toBe(false);
  });

  const ranges = {
    type: 'picklist',
    options: ['Under $500K', '$500K - $1M', '$1M - $5M', '$5M+'],
    restricted: true,
  } as const;

  it('finds the range that holds an amount, the upper one on a shared bound', () => {
    expect(fitted(million, ranges)).toBe('$1M - $5M');
    expect(fitted({ kind: 'number', value: 999_999 }, ranges)).toBe('$500K - $1M');
    expect(fitted({ kind: 'number', value: 7_000_000 }, ranges)).toBe('$5M+');
    expect(fitted({ kind: 'number', value: 0 }, ranges)).toBe('Under $500K');
  });

  it('finds the last amount of ranges that share no bound', () => {
    const traits = { ...ranges, options: ['0-499,999', '500,000-999,999'] };
    expect(fitted({ kind: 'number', value: 499_999 }, traits)).toBe('0-499,999');
    expect(fitValue(million, aField(traits)).fits).toBe(false);
  });

  it('finds the option that holds a whole range', () => {
    expect(fitted({ kind: 'range', low: 1e6, high: 5e6 }, ranges)).toBe('$1M - $5M');
    expect(fitted({ kind: 'range', low: 2e6, high: 3e6 }, ranges)).toBe('$1M - $5M');
    expect(fitted({ kind: 'range', low: 1e7, high: null }, ranges)).toBe('$5M+');
    expect(fitValue({ kind: 'range', low: 7e5, high: 3e6 }, aField(ranges)).fits).toBe(false);
  });

  it('does not choose between options that overlap', () => {
    const traits = { ...ranges, options: ['$1M+', '$1M - $5M'] };
    expect(fitValue(million, aField(traits)).fits).toBe(false);
  });

  it('picks the options for the items of a list in the order of the picklist', () => {
    const traits = { type: 'multiPicklist', options: ['Gamma Ltd.', 'ACME, Inc.'] } as const;
    expect(fitted(list, { ...traits, restricted: true })).toBe('Gamma Ltd.;ACME, Inc.');
    expect(fitted(list, traits)).toBe('Gamma Ltd.;ACME, Inc.;Beta');
    expect(fitValue(list, aField({ type: 'multiPicklist', restricted: true })).fits).toBe(false);
  });
});

describe('fitValue', () => {
  it('says that a field cannot be written', () => {
    expect(fitted(million, { name: 'Formula__c', writable: false })).toBe(
      "Formula__c cannot be written by the integration's user. Grant its user edit access to the field, or map another field.",
    );
  });

  it('names the types that would do', () => {
    expect(fitted(list, { name: 'Sector__c', type: 'picklist' })).toBe(
      'Sector__c is a picklist field and cannot hold a list. Map a field of another type: longText, text, multiPicklist.',
    );
  });

  it('writes nothing into a boolean, and no text into a number or a date', () => {
    const text: RawValue = { kind: 'text', text: '1' };
    expect(fitValue(text, aField({ type: 'boolean' })).fits).toBe(false);
    expect(fitValue(million, aField({ type: 'boolean' })).fits).toBe(false);
    expect(fitValue(text, aField({ type: 'number' })).fits).toBe(false);
    expect(fitValue(text, aField({ type: 'date' })).fits).toBe(false);
  });

  it('never yields a value that is longer than the field or not of its type', () => {
    fc.assert(
      fc.property(anyRawValue(), anyField(), (raw, field) => {
        const fit = fitValue(raw, field);
        if (!fit.fits) return;
        expect(typeof fit.value).toBe(NUMERIC.includes(field.type) ? 'number' : 'string');
        if (typeof fit.value === 'number') expect(Number.isFinite(fit.value)).toBe(true);
        if (typeof fit.value !== 'string') return;
        expect(fit.value.trim()).not.toBe('');
        if (field.maxLength !== null && field.type !== 'date' && field.type !== 'datetime') {
          expect(fit.value.length).toBeLessThanOrEqual(field.maxLength);
        }
        expect(fit.value.isWellFormed()).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('never tells the value in a reason', () => {
    const secret = 'Zyzzyva Holdings';
    fc.assert(
      fc.property(
        fc.constantFrom<RawValue>(
          { kind: 'text', text: secret },
          { kind: 'url', text: secret },
          { kind: 'prose', text: secret },
          { kind: 'list', items: [secret] },
          { kind: 'number', value: 987_654_321 },
          { kind: 'range', low: 987_654_321, high: null },
        ),
        anyField(),
        (raw, field) => {
          const fit = fitValue(raw, field);
          if (!fit.fits) expect(fit.reason).not.toMatch(/Zyzzyva|987|988/);
        },
      ),
    );
  });
});

const NUMERIC: readonly CrmFieldType[] = ['integer', 'number', 'currency', 'percent'];

function anyField() {
  const size = fc.option(fc.nat({ max: 30 }));
  return fc
    .record({
      type: fc.constantFrom(...CRM_FIELD_TYPES),
      maxLength: size,
      integerDigits: size,
      decimalDigits: size,
      restricted: fc.boolean(),
      options: fc.subarray(['Acme', 'Beta', '$1M - $5M', '$5M+', '10']),
    })
    .map(aField);
}

function anyRawValue(): fc.Arbitrary<RawValue> {
  const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.lorem({ maxCount: 12 }));
  const value = fc.oneof(fc.double(), fc.integer());
  return fc.oneof(
    fc.record({ kind: fc.constantFrom('text', 'url', 'prose'), text }),
    fc.record({ kind: fc.constant('list'), items: fc.array(fc.oneof(text, fc.constant('Beta'))) }),
    fc.record({ kind: fc.constant('number'), value }),
    fc.record({ kind: fc.constant('share'), value: fc.double({ min: -0.1, max: 1.1 }) }),
    fc.record({ kind: fc.constant('range'), low: fc.integer(), high: fc.option(fc.integer()) }),
    fc.record({ kind: fc.constant('instant'), epochMs: value }),
  );
}
