/** The world's people in the form in which a nonprofit's CRM contains them. */

import type { Address } from './address.ts';
import type { Donor } from './donor.ts';
import { earlierHomesOf, homeOf } from './home.ts';
import { idOf } from './id.ts';
import { MESS_RATES, messyAddress, messyEmployer, messyName } from './mess.ts';
import { FIRST_STRANGER, type Name, personAt } from './person.ts';
import { between, chance, createDraw, pick } from './random.ts';
import { workOf } from './work.ts';
import type { WorldPlan } from './world-plan.ts';

/** A person in a CRM, with typos, nicknames, initials and gaps. */
export interface CrmPerson {
  /**
   * The position in the contact list. The first person has the number 0. The number is the same in every sandbox with
   * the same seed.
   */
  number: number;
  firstName: string | null;
  lastName: string | null;
  /**
   * The email address. No two rows have the same address, because CRMs often reject repeated addresses. The domain is
   * reserved for examples.
   */
  email: string | null;
  address: Address | null;
  employer: string | null;
  jobTitle: string | null;
  /** The ID of the matching donor, or null if the service does not know the person. */
  donorId: string | null;
}

/** Domains that RFC 2606 reserves for examples, so email to them reaches no one. */
const MAIL_DOMAINS = ['example.com', 'example.org', 'example.net'];

/** Returns the row with this number in the contact list. */
export function crmPersonAt(plan: WorldPlan, number: number): CrmPerson {
  const donor = donorOfRow(plan, number);
  const person = personAt(plan, donor ?? FIRST_STRANGER + number);
  const draws = (purpose: string) => createDraw(plan.seed, purpose, number);
  const [job] = workOf(plan, person);
  const employer = job ? messyEmployer(draws('row employer'), job.organisationName) : null;
  return {
    number,
    ...messyName(draws('row name'), person.name),
    email: emailOf(plan, number, person.name),
    address: messyAddress(draws('row address'), homeOf(plan, person), earlierHomesOf(plan, person)),
    employer,
    jobTitle: job && employer !== null ? job.title : null,
    donorId: donor === null ? null : idOf(plan.seed, 'donor', donor),
  };
}

/** Returns the row of a real person. Its details are the same as in the public record. */
export function crmPersonOf(donor: Donor, number: number): CrmPerson {
  const [job] = donor.work;
  return {
    number,
    firstName: donor.name.first,
    lastName: donor.name.last,
    email: null,
    address: null,
    employer: job?.organisationName ?? null,
    jobTitle: job && job.title !== '' ? job.title : null,
    donorId: donor.id,
  };
}

/**
 * Returns the donor that a row represents. The rows contain the donors in order. If the list is longer than the world,
 * it starts again with the first donor. Some rows in between contain unknown people or repeat an earlier row.
 */
function donorOfRow(plan: WorldPlan, number: number): number | null {
  const kind = kindOfRow(plan, number);
  if (kind === 'stranger') return null;
  if (kind === 'repetition') {
    const earlier = between(createDraw(plan.seed, 'repeated row', number), 0, number - 1);
    if (kindOfRow(plan, earlier) === 'own') return earlier % plan.donorCount;
  }
  return number % plan.donorCount;
}

function kindOfRow(plan: WorldPlan, number: number): 'own' | 'stranger' | 'repetition' {
  const place = createDraw(plan.seed, 'kind of row', number)();
  if (plan.donorCount === 0 || place < MESS_RATES.unknownPerson) return 'stranger';
  const isRepetition = place < MESS_RATES.unknownPerson + MESS_RATES.duplicate;
  return isRepetition && number > 0 ? 'repetition' : 'own';
}

function emailOf(plan: WorldPlan, number: number, { first, last }: Name): string | null {
  const draw = createDraw(plan.seed, 'row email', number);
  if (chance(draw, MESS_RATES.missingEmail)) return null;
  return `${first}.${last}${number}@${pick(draw, MAIL_DOMAINS)}`.toLowerCase();
}
