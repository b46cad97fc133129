/** Describes the data that the service has about a person. */

import type { Address } from './address.ts';
import { boardsOf } from './boards.ts';
import { educationOf } from './education.ts';
import { type Gift, giftsOf } from './gifts.ts';
import { earlierHomesOf, homeOf } from './home.ts';
import { idOf } from './id.ts';
import { type Name, personAt } from './person.ts';
import type { Role } from './role.ts';
import { capacityOf, type NetWorth, netWorthOf } from './wealth.ts';
import { workOf } from './work.ts';
import type { WorldPlan } from './world-plan.ts';

/** The data that the service has about a person. */
export interface Donor {
  /** The ID as 32 hexadecimal characters. */
  id: string;
  name: Name;
  birthYear: number | null;
  /** True if the person is a real person who has died. Omitted for all other people. */
  isDeceased?: boolean;
  /** The ID of the household. All people at one address have the same household. */
  householdId: string | null;
  /** The addresses. The current address comes first. */
  addresses: Address[];
  /** The jobs. The latest job comes first. `education` is in the same order. */
  work: Role[];
  education: Role[];
  boards: Role[];
  /** The gifts. The latest gift comes first. */
  gifts: Gift[];
  /**
   * The net worth, or null if it is unknown. It is always null for real people. It is never null for fictional people.
   */
  netWorth: NetWorth | null;
  /** The person's estimated giving capacity, in whole US dollars. */
  capacity: { political: number | null; nonprofit: number | null };
  bio: string[];
}

/** Creates a donor who has only a name. */
export function blankDonor(id: string, name: Name): Donor {
  return {
    id,
    name,
    birthYear: null,
    householdId: null,
    addresses: [],
    work: [],
    education: [],
    boards: [],
    gifts: [],
    netWorth: null,
    capacity: { political: null, nonprofit: null },
    bio: [],
  };
}

export function donorAt(plan: WorldPlan, number: number): Donor {
  const person = personAt(plan, number);
  const donor = {
    id: idOf(plan.seed, 'donor', number),
    name: { ...person.name },
    birthYear: person.birthYear,
    householdId: idOf(plan.seed, 'household', person.place.household),
    addresses: [homeOf(plan, person), ...earlierHomesOf(plan, person)],
    work: workOf(plan, person),
    education: educationOf(plan, person),
    boards: boardsOf(plan, person),
    gifts: giftsOf(plan, person),
    netWorth: netWorthOf(person),
    capacity: capacityOf(plan, person),
  };
  return { ...donor, bio: describe(donor) };
}

/** Describes a person's life. Each known part of the life is one sentence. */
function describe({ name, addresses, work, education, boards }: Omit<Donor, 'bio'>): string[] {
  const who = `${name.first} ${name.last}`;
  const [home] = addresses;
  const [job] = work;
  const [degree] = education;
  const [board] = boards;
  const sentences: string[] = [];
  if (home) sentences.push(`${who} lives in ${home.city}, ${home.state}.`);
  if (job)
    sentences.push(`${who} ${job.end ? 'was' : 'is'} ${job.title} at ${job.organisationName}.`);
  if (degree) sentences.push(`${who} studied at ${degree.organisationName}.`);
  if (board)
    sentences.push(
      `${who} ${board.end ? 'served' : 'serves'} on the board of ${board.organisationName}.`,
    );
  return sentences;
}
