/** Reads the number of paid values that wait, and the reasons. All interfaces use this query for waiting values. */
import type { FieldMapping } from '../core/field-map.ts';
import { describeCount, formatCount } from '../core/quantities.ts';
import type { ValuesWaiting, WaitingCause } from '../core/waiting-values.ts';
import type { Reader } from '../database/reader.ts';
import { countWaitingValues } from './statements/value-states.ts';

/** Reads the waiting values. A field map limits the fields. */
export async function readValuesWaiting(
  reader: Reader,
  integrationId: string,
  mappings?: readonly FieldMapping[],
): Promise<ValuesWaiting> {
  const mapped = mappings && new Set(mappings.map(({ to }) => to));
  const found = await countWaitingValues(reader, integrationId);
  const reasons = found
    .filter(({ field }) => mapped === undefined || mapped.has(field))
    .map(({ field, state, code, isGone, contacts }) => {
      const cause: WaitingCause = isGone ? 'no_profile' : state;
      const said = isGone || code === '' ? null : code;
      return { field, cause, code: said, contacts, text: waitingText(cause, said) };
    })
    .sort((a, b) => b.contacts - a.contacts);
  return { values: reasons.reduce((sum, { contacts }) => sum + contacts, 0), reasons };
}

const NEXT_RUN = 'the next run writes the values, at no cost';

/** Explains why values wait, when the wait ends, and its cost. */
export function waitingText(cause: WaitingCause, code: string | null): string {
  const by = code === null ? '' : ` (${code})`;
  switch (cause) {
    case 'no_such_field':
      return `the CRM does not have this field, or hides it${by}: create the field or give access to it. Then ${NEXT_RUN}`;
    case 'no_permission':
      return `the integration's user can't write the field${by}: give that permission. Then ${NEXT_RUN}`;
    case 'does_not_fit':
      return `they don't fit the field${by}: allow more length, digits or choices, or change the field's type. Then ${NEXT_RUN}`;
    case 'other_currency':
      return `their contacts' currency is not US dollars${by}: set crm.currency to convert (doctor shows the rates), or map number fields. Then ${NEXT_RUN}`;
    case 'no_rate':
      return `the CRM has no active exchange rate for US dollars or the contacts' currency, or hides its rates${by}: activate the rate, or let the integration's user read the rates. Then ${NEXT_RUN}`;
    case 'refused':
      return `the CRM refuses them${by}: change its rule or the contacts. Runs try five contacts daily for three days, then weekly, and write the others once one is accepted, at no cost`;
    case 'no_profile':
      return 'no profile is kept any more: the next refresh writes the values, at no cost beyond its own';
  }
}

/**
 * Returns sentences such as `60 values of Donor_Age__c are waiting to be written: the CRM does not have this field, …`.
 */
export function waitingSentences({ reasons }: ValuesWaiting): string[] {
  return reasons.map(
    ({ field, contacts, text }) =>
      `${describeCount(contacts, 'value')} of ${field} ${contacts === 1 ? 'is' : 'are'} waiting to be written: ${text}.`,
  );
}

export function waitingTitle({ values }: ValuesWaiting): string {
  return `${formatCount(values)} ${values === 1 ? 'value is' : 'values are'} waiting to be written`;
}
