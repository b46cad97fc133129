/** The function FORMAT(). It formats values for users with the locale en_US. */

import type { Field, StoredValue } from '../../metadata/field.ts';

/** Returns the text of a value, or null if the value is blank. */
export function formatValue(field: Field, value: StoredValue): string | null {
  if (value === null) return null;
  switch (field.type) {
    case 'currency':
      return `$${formatNumber(field, value)}`;
    case 'percent':
      return `${formatNumber(field, value)}%`;
    case 'int':
    case 'double':
      return formatNumber(field, value);
    case 'date':
      return DATE.format(new Date(`${value}T00:00:00Z`));
    case 'datetime':
      // Node writes a narrow no-break space before AM and PM, but Salesforce writes a plain space.
      return TIME.format(new Date(Number(value))).replaceAll('\u202f', ' ');
    case 'boolean':
      return value === 1 ? 'true' : 'false';
    default:
      return String(value);
  }
}

function formatNumber({ scale }: Field, value: StoredValue): string {
  const digits = { minimumFractionDigits: scale, maximumFractionDigits: scale };
  return new Intl.NumberFormat('en-US', digits).format(Number(value));
}

const DATE = new Intl.DateTimeFormat('en-US', {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  timeZone: 'UTC',
});
const TIME = new Intl.DateTimeFormat('en-US', {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZone: 'UTC',
});
