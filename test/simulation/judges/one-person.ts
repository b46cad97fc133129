/**
 * Checks that all our values in a contact belong to the same person. Judges by the CRM alone: each value of the service
 * belongs to one person, and the product's fingerprints are not used.
 */
import { DONOR_ID, MARK } from '../crm/fields.ts';
import { isAnyones, type Record_ } from '../crm/record.ts';
import type { World } from '../night/world.ts';
import type { Humans } from '../people/humans.ts';
import { ANOTHER, netWorthOf } from '../service/service.ts';

/** Returns the donor IDs of the people whose values the product has written into a contact, without duplicates. */
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

/**
 * Returns the donor with this number. People are numbered from 1. 0 is the person whose profile replaces the right one.
 */
function donorAt(humans: Humans, number: number): string | null {
  if (number === 0) return ANOTHER;
  return humans.all[number - 1]?.donorId ?? `nobody ${number}`;
}

/** Checks all contacts after the quiet time, including held ones. */
export function checkOnePerson({ humans, swarm, violate }: World, record: Record_): void {
  if (record.gone !== null) return;
  const donors = donorsIn(humans, record);
  // After restoring a backup, a value that was written later is no longer known as ours.
  if (donors.length > 1 && swarm.faults.restore === 0) {
    violate('one person', `contact ${record.id} holds values of ${donors.join(' and ')}`);
  }
}
