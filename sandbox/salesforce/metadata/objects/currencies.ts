/** The exchange rates of an org with several currencies, and the currencies of its records. */

import { type Database, quoted } from '../../core/database.ts';
import { createId } from '../../core/ids.ts';
import { defineField, type Field, text } from '../field.ts';
import { defineObject, type ObjectType } from '../object-type.ts';
import { systemValues } from '../setup-records.ts';
import { flag } from './people.ts';

const CORPORATE = 'USD';

/** The currencies of a new org. A rate is the value of one US dollar in the currency. */
const CURRENCIES = [
  { code: CORPORATE, rate: 1, places: 2, isActive: true },
  { code: 'EUR', rate: 0.92, places: 2, isActive: true },
  { code: 'JPY', rate: 150, places: 0, isActive: true },
  { code: 'CAD', rate: 1.36, places: 2, isActive: false },
];

/** Returns the objects for current exchange rates and for exchange rates with a date. */
export function currencyObjects(): ObjectType[] {
  const rate = { required: true, precision: 18, scale: 6 };
  const code = text('IsoCode', 'Currency ISO Code', 3, { required: true });
  return [
    defineObject({
      name: 'CurrencyType',
      label: 'Currency Type',
      keyPrefix: '01L',
      deletable: false,
      unique: [['IsoCode']],
      fields: [
        code,
        defineField('ConversionRate', 'Conversion Rate', 'double', rate),
        defineField('DecimalPlaces', 'Decimal Places', 'int', { precision: 1, required: true }),
        flag('IsActive', 'Active'),
        flag('IsCorporate', 'Corporate Currency'),
      ],
    }),
    defineObject({
      name: 'DatedConversionRate',
      label: 'Dated Conversion Rate',
      keyPrefix: '04w',
      unique: [['IsoCode', 'StartDate']],
      fields: [
        code,
        defineField('StartDate', 'Start Date', 'date', { required: true }),
        defineField('NextStartDate', 'Next Start Date', 'date'),
        defineField('ConversionRate', 'Conversion Rate', 'double', rate),
      ],
    }),
  ];
}

/** Returns the field with the currency of a record's amounts. */
export function currencyField(name = 'CurrencyIsoCode', label = 'Currency ISO Code'): Field {
  return defineField(name, label, 'picklist', {
    length: 3,
    picklist: CURRENCIES.filter(({ isActive }) => isActive).map(({ code }) => code),
    restricted: true,
    defaultValue: CORPORATE,
  });
}

/** Writes the rates of a new org and sets the corporate currency on its records. */
export function fillCurrencies(db: Database, types: readonly ObjectType[], atMs: number): void {
  for (const [index, { code, rate, places, isActive }] of CURRENCIES.entries()) {
    const row = {
      rowid: index + 1,
      Id: createId('01L', index + 1),
      ...systemValues(atMs),
      IsoCode: code,
      ConversionRate: rate,
      DecimalPlaces: places,
      IsActive: isActive ? 1 : 0,
      IsCorporate: code === CORPORATE ? 1 : 0,
    };
    const names = Object.keys(row).map(quoted).join(', ');
    const marks = Object.keys(row)
      .map(() => '?')
      .join(', ');
    db.prepare(`insert into "CurrencyType" (${names}) values (${marks})`).run(
      ...Object.values(row),
    );
  }
  for (const type of types) {
    for (const { name } of type.fields.filter((field) => CODE_FIELDS.has(field.name))) {
      db.prepare(`update ${quoted(type.name)} set ${quoted(name)} = ?`).run(CORPORATE);
    }
  }
}

const CODE_FIELDS = new Set(['CurrencyIsoCode', 'DefaultCurrencyIsoCode']);
