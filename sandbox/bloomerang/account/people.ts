/** Stores the world's people as constituents, with households and organizations. */
import { chooseGroups } from '../../../people/groups.ts';
import type { CrmPerson, World } from '../../../people/world.ts';
import type { Database } from '../core/database.ts';
import { BLANK_BODY, type Body } from './constituent.ts';
import type { Details } from './details.ts';
import type { Groups } from './groups.ts';
import type { Households } from './households.ts';
import { contactIdOf, IDS_PER_PERSON } from './person-id.ts';

/** The period (ms) in which the constituents were added. The period is two years. */
const HISTORY_MS = 2 * 365 * 86_400_000;

/** The minimum age of all constituents (ms), which is a day, so that the first run finds no changes. */
const QUIET_MS = 86_400_000;

/** The size of a block of people. Two people of each block live in one household. */
const PEOPLE_PER_HOUSEHOLD = 25;

/** The author of all data that was entered before the stand-in started. */
export const USER = 'Example Staff User';

export interface PeopleOptions {
  world: World;
  /** The number of contacts in this account from the world's contact list. */
  contactCount: number;
  nowMs: number;
}

/** The parts of an account that store people. */
interface Rooms {
  db: Database;
  details: Details;
  groups: Groups;
  households: Households;
}

/** Stores all people. The account must be empty. */
export function fillPeople(account: Rooms, options: PeopleOptions): void {
  const { db } = account;
  const { world, contactCount, nowMs } = options;
  const groupsOf = chooseGroupIds(account, options);
  const insert = db.prepare(
    'insert into constituents (id, account_number, type, created_at_ms, modified_at_ms, modified_by, body) values (?, ?, ?, ?, ?, ?, ?)',
  );
  for (let number = 0; number < contactCount; number += 1) {
    const person = world.crmPerson(number);
    const id = Number(contactIdOf(number));
    const atMs = nowMs - QUIET_MS - HISTORY_MS + Math.floor((HISTORY_MS * number) / contactCount);
    const body = { ...individual(person), groupIds: groupsOf.get(number) ?? [] };
    insert.run(id, number + 1, 'Individual', atMs, atMs, USER, JSON.stringify(body));
    addDetails(account, id, person, atMs);
    if (number % PEOPLE_PER_HOUSEHOLD === 1) joinHousehold(account, id, person, atMs);
    if (number % IDS_PER_PERSON.every === 0 && person.employer !== null) {
      const organization = { ...BLANK_BODY, Type: 'Organization', FullName: person.employer };
      const values = [contactCount + number, 'Organization', atMs, atMs, USER];
      insert.run(id + 1, ...values, JSON.stringify(organization));
    }
  }
}

function individual({ firstName, lastName, jobTitle, employer }: CrmPerson): Body {
  return {
    ...BLANK_BODY,
    Type: 'Individual',
    FirstName: firstName,
    LastName: lastName,
    JobTitle: jobTitle,
    Employer: employer,
    InformalName: firstName,
    PreferredCommunicationChannel: 'Email',
  };
}

function addDetails(
  { details }: Rooms,
  constituentId: number,
  { number, email, address }: CrmPerson,
  modifiedAtMs: number,
): void {
  const common = { constituentId, isPrimary: true, modifiedAtMs };
  if (address !== null) {
    const { street, city, state, postalCode } = address;
    const place = { Street: street, City: city, State: state, PostalCode: postalCode };
    const body = { Type: 'Home', ...place, Country: 'United States', IsBad: false };
    details.add({ ...common, kind: 'address', body });
  }
  if (email !== null) {
    const body = { Type: 'Home', Value: email, IsBad: false };
    details.add({ ...common, kind: 'email', body });
  }
  // Every second person gets a phone number from the range reserved for fiction.
  if (number % 2 === 0) {
    const lastDigits = String(100 + (number % 100)).padStart(4, '0');
    const body = { Type: 'Home', Number: `(555) 555-${lastDigits}` };
    details.add({ ...common, kind: 'phone', body });
  }
}

/** Puts two people with consecutive numbers into one household. */
function joinHousehold(account: Rooms, id: number, person: CrmPerson, atMs: number): void {
  const { db, households } = account;
  const headId = id - IDS_PER_PERSON.step;
  const name = `${person.lastName ?? 'Unknown'} Household`;
  const memberIds = [headId, id];
  const household = households.create({ name, headId, memberIds, modifiedAtMs: atMs });
  const update = db.prepare(
    "update constituents set body = json_set(body, '$.HouseholdId', ?) where id = ?",
  );
  for (const member of memberIds) update.run(household.id, member);
}

function chooseGroupIds({ groups }: Rooms, list: PeopleOptions): Map<number, number[]> {
  const { board, staff } = chooseGroups(list);
  const ids = new Map<number, number[]>();
  for (const { name, people } of [board, staff]) {
    const { id } = groups.open(name);
    for (const number of people) ids.set(number, [...(ids.get(number) ?? []), id]);
  }
  return ids;
}
