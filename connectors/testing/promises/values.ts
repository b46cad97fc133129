/**
 * Tests values of each type. The CRM must contain the values that a connector writes, and the connector must read the
 * values that users type.
 */
import type { CrmFieldType, FieldValue } from '../../../src/core/crm-field.ts';
import { expectEqual, expectThat, show } from '../expect.ts';
import { getValues, write } from '../readings.ts';
import { people } from '../seeds.ts';
import type { ConnectorTest, Suite } from '../suite.ts';
import { canChangeZone, duringZone, ZONES } from '../time-zones.ts';
import {
  describeTyped,
  type Held,
  instantOf,
  isSameDay,
  listTyped,
  type TypedField,
  writeEach,
} from '../typed.ts';

/** The types of values that a connector converts. The harness must have a field of each of these types. */
const CONVERTED: readonly CrmFieldType[] = [
  ...(['integer', 'number', 'currency', 'percent', 'boolean'] as const),
  ...(['date', 'datetime', 'picklist', 'multiPicklist'] as const),
];

/**
 * A leap day, days on which clocks change, and the first and last days of years. In most of these dates, the day is
 * greater than 12, so the day cannot be confused with the month.
 */
const DATES = ['1950-03-31', '2024-02-29', '2026-03-29', '2026-10-25', '1999-12-31', '2000-01-01'];

/**
 * Instants whose local date differs from the UTC date. One instant is in the hour that is skipped when summer time
 * starts.
 */
const INSTANTS = [
  ...['2026-11-20T02:00:00.000Z', '2026-03-29T01:30:00.000Z'],
  ...['2026-06-30T23:59:59.000Z', '2026-01-01T04:30:00.000Z'],
];

/**
 * Texts with combining marks, with characters outside the basic plane, with joined emoji, and in a script that runs
 * from right to left.
 */
const FOREIGN_TEXTS = [
  ...['Zoe\u0308 A\u030Angstro\u0308m', 'Zoë Ångström', '𠮷田 花子', '👩‍👩‍👧 Family'],
  ...['שלום עולם', 'Łódź – “Straße”', 'one\ttab & 100 %'],
];

/**
 * Amounts that are exact in a currency, but become inexact if they are multiplied by 100. For example,
 * `Math.floor(19.99 * 100)` is 1998.
 */
const INEXACT_CENTS = [19.99, 0.29, 1.15, 8.2, 4.35];

/** A number of characters that is larger than most databases allow in a long text. */
const MORE_THAN_A_COLUMN = 70_000;

export function promiseValues({ describe, it, notShown }: Suite): void {
  describe('values of each type', () => {
    it('has a field of each type that it can write in the harness, so that each type is tested', async (t) => {
      await t.start([]);
      const named = (await describeTyped(t)).map(({ type }) => type);
      const fields = await t.connector.describeFields();
      const untested = CONVERTED.filter((type) => {
        const isOffered = fields.some((field) => field.type === type && field.writable);
        return isOffered && !named.includes(type);
      });
      expectEqual(
        untested,
        [],
        'types without a field in `typedFields` of the harness',
        'Add a field of each of these types to `typedFields`, or nobody tests how they are read and written.',
      );
    });

    if (canChangeZone()) {
      for (const zone of ZONES) {
        it(`keeps the day of a date on a server in ${zone}`, (t) =>
          duringZone(zone, async () => {
            const ids = await t.start(people(DATES.length));
            for (const field of await listTyped(t, 'date')) {
              for (const held of await writeEach(t, ids, field.name, DATES)) {
                if (!held.isAcknowledged) continue;
                expectDay(held, field, zone);
              }
            }
          }));

        it(`keeps the instant of a time on a server in ${zone}`, (t) =>
          duringZone(zone, () => keepsInstants(t)));
      }
    } else {
      notShown(
        'not shown, because this test runner uses threads, in which the time zone cannot change: dates on servers in other time zones',
      );
    }

    it('keeps the instant of a time', keepsInstants);

    it('reads a blank field of any type as null', async (t) => {
      const [id = ''] = await t.start(people(1));
      const fields = await describeTyped(t);
      const names = fields.map(({ name }) => name);
      const [fresh] = await t.connector.readByIds([id], names);
      for (const field of fields) expectBlank(getValues(fresh)?.[field.name], field, 'never set');
      for (const field of fields) {
        await write(t.connector, [{ id, values: { [field.name]: field.value } }]);
        await write(t.connector, [{ id, values: { [field.name]: null } }]);
      }
      await t.connector.finish();
      const [cleared] = await t.connector.readByIds([id], names);
      for (const field of fields) expectBlank(getValues(cleared)?.[field.name], field, 'cleared');
    });

    it('tells no from yes', async (t) => {
      const ids = await t.start(people(2));
      for (const { name } of await listTyped(t, 'boolean')) {
        const [yes, no] = await writeEach(t, ids, name, [true, false]);
        for (const held of [yes, no]) {
          expectEqual(held?.isAcknowledged, true, `${name}, writing ${held?.sent}`, READING_BOTH);
          expectEqual(held?.read, held?.sent, `${name}, reading it back`, READING_BOTH);
        }
        expectThat(yes?.seen !== no?.seen, {
          ...{ what: `${name} in the CRM`, expected: 'two contents for yes and no' },
          ...{ actual: `${show(yes?.seen)} for both`, hint: READING_BOTH },
        });
      }
    });

    it('keeps every digit that a number field can hold, and its sign', async (t) => {
      const ids = await t.start(people(MOST_NUMBERS));
      for (const field of await listTyped(t, 'integer', 'number', 'currency', 'percent')) {
        for (const held of await writeEach(t, ids, field.name, numbersFor(field))) {
          if (!held.isAcknowledged) continue;
          const hint = `The field has ${field.decimalDigits ?? 'any number of'} decimal digits. Send numbers as digits, without rounding and separators (for cents, Math.round(value * 100): 19.99 * 100 is a little less than 1999), and read a percentage as users see it.`;
          const seen = held.seen === null ? null : Number(held.seen);
          expectEqual(seen, held.sent, `${field.name} in the CRM (${held.seen})`, hint);
          expectEqual(held.read, held.sent, `${field.name}, reading it back`, hint);
        }
      }
    });

    it('acknowledges a number with more decimals than its field only if all of it is in the CRM', async (t) => {
      const ids = await t.start(people(MOST_NUMBERS));
      for (const field of await listTyped(t, 'integer', 'number', 'currency', 'percent')) {
        const hint = `The field has ${field.decimalDigits} decimal digits. Refuse a number with more of them (\`does_not_fit\`), in fields of each type of number: many CRMs round it and report success.`;
        for (const held of await writeEach(t, ids, field.name, tooExactFor(field))) {
          if (!held.isAcknowledged) continue;
          const seen = held.seen === null ? null : Number(held.seen);
          expectEqual(
            held.read,
            held.sent,
            `${field.name}, reading back what was acknowledged`,
            hint,
          );
          expectEqual(seen, held.sent, `${field.name} in the CRM after it was acknowledged`, hint);
        }
      }
    });

    it('replaces what a field of each type has with exactly what is written', async (t) => {
      const [id = ''] = await t.start(people(1));
      const fields = await describeTyped(t);
      const [text] = (await t.connector.describeFields()).filter(
        ({ name }) => name === t.crm.textFields[0],
      );
      if (text !== undefined) fields.push({ ...text, value: 'the first text' });
      for (const field of fields) {
        for (const value of valuesInTurn(field)) {
          const [held] = await writeEach(t, [id], field.name, [value]);
          if (held === undefined || !held.isAcknowledged) continue;
          const what = `${field.name} (${field.type}) after ${show(value)} was written over an earlier value`;
          expectEqual(held.read, value, `${what}, reading it back`, REPLACED_HINT);
          expectThat(isShown(held, field.type), {
            ...{ what: `${what}, in the CRM`, expected: show(value) },
            ...{ actual: show(held.seen), hint: REPLACED_HINT },
          });
        }
      }
    });

    it('writes and reads each option that it offers', async (t) => {
      const ids = await t.start(people(MOST_OPTIONS));
      for (const { name, type, options } of await listTyped(t, 'picklist', 'multiPicklist')) {
        const some = options.slice(0, MOST_OPTIONS).filter((option) => !/[;,]/.test(option));
        for (const held of await writeEach(t, ids, name, some)) {
          const hint =
            'An option of `describeFields` is the canonical value, which is written and read: never mix up the labels, the ids and the positions of options.';
          const what = `${name} (${type}), the option ${show(held.sent)}`;
          expectEqual(held.isAcknowledged, true, `whether it is written: ${what}`, hint);
          expectEqual(held.read, held.sent, `${what}, reading it back`, hint);
        }
      }
    });

    it('reads several options in the order of the picklist', async (t) => {
      const ids = await t.start(people(2));
      for (const { name, options } of await listTyped(t, 'multiPicklist')) {
        const [first, second] = options.filter((option) => !option.includes(';'));
        if (first === undefined || second === undefined) continue;
        const orders = [`${first};${second}`, `${second};${first}`];
        for (const held of await writeEach(t, ids, name, orders)) {
          const hint =
            'Equal values must be `===`: sort the selected options as the picklist does, whoever has selected them.';
          if (held.isAcknowledged) expectEqual(held.read, orders[0], `${name}, as read`, hint);
        }
      }
    });

    it('acknowledges a text only if all of it is in the CRM', async (t) => {
      const ids = await t.start(people(4));
      for (const field of await listTexts(t)) {
        const texts = tooLongFor(field);
        for (const held of await writeEach(t, ids, field.name, texts)) {
          const hint = `The field takes ${field.maxLength ?? 'any number of'} characters. Send the text as it is, and refuse the change (\`does_not_fit\`) if the CRM does.`;
          expectHeld(held, field.name, hint);
        }
      }
    });

    it('acknowledges options only if they are in the CRM', async (t) => {
      const ids = await t.start(people(2));
      for (const { name, type, options } of await listTyped(t, 'picklist', 'multiPicklist')) {
        const unknown = 'an option that no picklist has';
        const values =
          type === 'picklist' ? [unknown] : [unknown, `${options[0] ?? 'known'};${unknown}`];
        for (const held of await writeEach(t, ids, name, values)) {
          const hint =
            'Never leave out an option, or replace it by another one: refuse the change (`does_not_fit`).';
          expectHeld(held, name, hint);
        }
      }
    });

    it('keeps letters of every script, and marks that are combined with them', async (t) => {
      const ids = await t.start(people(FOREIGN_TEXTS.length));
      const [name] = t.crm.textFields;
      for (const held of await writeEach(t, ids, name, FOREIGN_TEXTS)) {
        expectHeld(held, name, 'Send and read texts in UTF-8, and count no bytes.');
      }
    });
  });
}

const MOST_OPTIONS = 6;

const READING_BOTH =
  'Convert yes and no in both directions, and tell them from a field that is blank.';

async function keepsInstants(t: ConnectorTest): Promise<void> {
  const ids = await t.start(people(INSTANTS.length));
  for (const { name } of await listTyped(t, 'datetime')) {
    for (const held of await writeEach(t, ids, name, INSTANTS)) {
      if (!held.isAcknowledged) continue;
      const hint =
        'A canonical instant ends in Z: convert it to the zone of the CRM, and back, with the offset. Otherwise both directions can be wrong by the same hours.';
      expectEqual(held.read, held.sent, `${name}, reading it back`, hint);
      const seenMs = instantOf(held.seen ?? '');
      expectThat(seenMs !== null, {
        ...{ what: `\`seenValue\` of ${name}`, expected: 'an instant with its zone' },
        actual: show(held.seen),
        hint: 'The kit has to know the instant without the connector: return an ISO text with Z or an offset from the harness.',
      });
      const seen = new Date(seenMs ?? 0).toISOString();
      expectEqual(seen, held.sent, `${name} in the CRM (${held.seen})`, hint);
    }
  }
}

function expectDay({ sent, read, seen }: Held, { name }: TypedField, zone: string): void {
  const hint = `A date has no time and no zone: take its digits, and make no Date in the local zone (here ${zone}).`;
  expectEqual(read, sent, `${name}, reading it back`, hint);
  expectThat(isSameDay(seen ?? '', String(sent)), {
    ...{ what: `${name} in the CRM`, expected: `the day ${sent}`, actual: show(seen), hint },
  });
}

/**
 * Fails unless the value is blank. In many CRMs, a checkbox cannot be blank, so the connector may read `false` from a
 * blank checkbox.
 */
function expectBlank(value: FieldValue | undefined, { name, type }: TypedField, how: string): void {
  if (type === 'boolean' && value === false) return;
  const hint =
    'A blank is neither 0 nor an empty text nor a date: return null before the value is converted.';
  expectEqual(value, null, `${name} (${type}), ${how}`, hint);
}

/**
 * Fails unless the CRM contains a confirmed value completely and unchanged. The CRM may remove white space at both ends
 * of the value.
 */
function expectHeld({ sent, isAcknowledged, read, seen }: Held, name: string, hint: string): void {
  if (!isAcknowledged) return;
  const wanted = comparable(sent);
  expectEqual(comparable(read), wanted, `${name}, reading back what was acknowledged`, hint);
  const options = (text: string | null) => text?.split(/[;,]/).sort().join(';');
  const isSame = comparable(seen) === wanted || options(seen) === options(String(sent));
  expectThat(isSame, {
    what: `${name} in the CRM after it was acknowledged`,
    ...{ expected: show(sent), actual: show(seen), hint },
  });
}

function comparable(value: FieldValue | undefined): string {
  return String(value ?? '')
    .replaceAll('\r\n', '\n')
    .normalize('NFC')
    .trim();
}

const REPLACED_HINT =
  'A value replaces all that the field has. Never join options, texts or numbers with what is already there: the options of an earlier person would stay, and what is acknowledged would not be what is stored.';

/** Returns different values for a field. The test writes each value over the previous value. */
function valuesInTurn({ type, value, options }: TypedField): FieldValue[] {
  switch (type) {
    case 'integer':
    case 'number':
    case 'currency':
    case 'percent':
      return [value, 7, 0, 3];
    case 'boolean':
      return [true, false, true];
    case 'date':
      return [value, '2024-02-29', '1999-12-31'];
    case 'datetime':
      return [value, '2026-11-20T02:00:00.000Z', '2026-01-01T04:30:00.000Z'];
    case 'picklist':
      return options.slice(0, 3);
    case 'multiPicklist': {
      const [first = '', second = first, third = second] = options.filter(
        (option) => !/[;,]/.test(option),
      );
      return [...new Set([first, second, `${first};${second}`, third, first])].concat(first);
    }
    case 'url':
      return ['https://example.org/a', 'https://example.org/b'];
    default:
      return ['a first, longer text', 'second'];
  }
}

/** True if the harness sees the value that was sent. */
function isShown({ sent, seen }: Held, type: CrmFieldType): boolean {
  switch (type) {
    case 'integer':
    case 'number':
    case 'currency':
    case 'percent':
      return seen !== null && Number(seen) === sent;
    case 'date':
      return isSameDay(seen ?? '', String(sent));
    case 'datetime':
      return instantOf(seen ?? '') === Date.parse(String(sent));
    case 'multiPicklist':
      // The CRM may return the IDs of options, so the test compares only the number of options.
      return seen?.split(/[;,]/).length === String(sent).split(';').length;
    case 'picklist':
    case 'boolean':
      // A yes/no value or a selected option cannot be compared, because each CRM has its own words for yes and no.
      return true;
    default:
      return comparable(seen) === comparable(sent);
  }
}

/**
 * Returns numbers with one more decimal than the field can store. Rounding one number changes the digit before the last
 * digit. Rounding the other number only removes the last digit.
 */
function tooExactFor({ type, decimalDigits }: TypedField): number[] {
  const places = type === 'integer' ? 0 : decimalDigits;
  if (places === null || places > MOST_EXACT_PLACES) return [];
  return ['5', '1', '9'].map((digit) => Number(`7.${'2'.repeat(places)}${digit}`));
}

/** The maximum number of decimals in a test number. JavaScript numbers have about fifteen exact digits. */
const MOST_EXACT_PLACES = 12;

/** The maximum number of values that `numbersFor` returns. */
const MOST_NUMBERS = 7 + INEXACT_CENTS.length;

function numbersFor({ type, decimalDigits, integerDigits }: TypedField): number[] {
  const most = integerDigits ?? 7;
  const whole = [0, 1, -7, ...(most >= 4 && type !== 'percent' ? [1234] : [])];
  const places = type === 'integer' ? 0 : Math.min(decimalDigits ?? 6, 6);
  if (places === 0) return whole;
  const fraction = Number(`0.${'123456'.slice(0, places)}`);
  const smallest = Number(`0.${'0'.repeat(places - 1)}1`);
  // Rounding a number that ends in nines changes all of its digits.
  const nines = Number(`9.${'9'.repeat(places)}`);
  const cents = places >= 2 && most >= 2 ? INEXACT_CENTS : [];
  return [...whole, fraction, smallest, nines, ...cents];
}

async function listTexts(t: ConnectorTest) {
  const described = await t.connector.describeFields();
  const [name] = t.crm.textFields;
  const first = described.filter((field) => field.name === name);
  return [...first, ...(await listTyped(t, 'text', 'longText', 'url'))];
}

function tooLongFor({ type, maxLength }: { type: CrmFieldType; maxLength: number | null }) {
  const start = type === 'url' ? 'https://example.org/' : '';
  const length = maxLength ?? MORE_THAN_A_COLUMN;
  const fill = (more: number) => start.padEnd(length + more, 'abcdefghi');
  const texts = [fill(1), fill(40)];
  // If a connector cut a text by bytes or by UTF-16 units, half a character would remain.
  if (type !== 'url') texts.push('é'.repeat(length + 1), '👪'.repeat(Math.ceil(length / 2) + 1));
  return texts;
}
