/**
 * Checks that all of donor-sync's values in a contact belong to the same person. The check uses only the CRM's content,
 * because each value of the service belongs to exactly one person. The check does not use the product's fingerprints.
 */
import { DONOR_ID, MARK } from '../crm/fields.ts';
import { isAnyones, type Record_ } from '../crm/record.ts';
import type { World } from '../night/world.ts';
import type { Humans } from '../people/humans.ts';
import { ANOTHER, netWorthOf } from '../service/service.ts';

/** Returns the distinct donor IDs of the people whose values the product has written into a contact. */
export function donorsIn(humans: Humans, record: Record_): string[] {
  const donors = [...record.values].flatMap(([field, cell]) => {
    const { author, value } = cell;
    if (author !== 'product' || value === null || isAnyones(cell)) return [];
    return donorOf(humans, field, String(value)) ?? [];
  });
  return [...new Set(donors)];
}

/** Returns the donor to whom a value belongs, or null for a field that identifies nobody. */
function donorOf(humans: Humans, field: string, text: string): string | null {
  if (field === DONOR_ID) return text;
  if (field === 'Age') return donorAt(humans, Number(text) - 20);
  if (field !== 'Net Worth') return null;
  const millions = Number(/\d+/.exec(text.replace(MARK, ''))?.[0]);
  const [low] = netWorthOf(0);
  return donorAt(humans, millions - low / 1_000_000);
}

/** People are numbered from 1. Number 0 is the person whose profile replaces the right profile. */
function donorAt(humans: Humans, number: number): string | null {
  if (number === 0) return ANOTHER;
  return humans.all[number - 1]?.donorId ?? `nobody ${number}`;
}

/** Checks all contacts after the quiet period, including held contacts. */
export function checkOnePerson({ humans, swarm, violate }: World, record: Record_): void {
  if (record.gone !== null) return;
  const erased = erasedBefore(record);
  const donors = donorsIn(humans, record).filter((donor) => !erased.has(donor));
  // After a backup has been restored, the product does not recognise values that it wrote after the backup.
  if (donors.length > 1 && swarm.faults.restore === 0) {
    violate('one person', `contact ${record.id} holds values of ${donors.join(' and ')}`);
  }
}

/**
 * Returns the donors of a row's former IDs that were erased before the row was given to a different person. The product
 * then knows neither these values nor that the row continues the former one (docs/reliability.md, limits of erasures).
 */
function erasedBefore({ former, formerRows }: Record_): ReadonlySet<string> {
  if (former.length === 0) return new Set();
  const erased = formerRows.filter(({ forgottenAt }) => forgottenAt !== null);
  return new Set(erased.map(({ human }) => human.donorId));
}
