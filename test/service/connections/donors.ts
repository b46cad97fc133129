/** Creates donors that have only the ties a test gives them. */

import type { Donor, Gift, Role } from '../../../service/donor.ts';
import { blankDonor } from '../../../service/donor.ts';

/** Creates a donor that has only the given ties. */
export function aDonor(
  ties: Partial<Pick<Donor, 'work' | 'boards' | 'education' | 'gifts'>>,
): Donor {
  const id = crypto.randomUUID().replaceAll('-', '');
  return {
    ...blankDonor(id, { first: 'Ada', middle: null, last: 'Byron' }),
    birthYear: 1950,
    ...ties,
  };
}

/** Creates a role in an organisation whose name is also its ID. */
export function aRole(organisation: string, start: string, end: string | null): Role {
  return {
    organisationId: organisation,
    organisationName: organisation,
    title: 'Member',
    start,
    end,
  };
}

/** Creates a gift of a hundred dollars. */
export function aGift(organisation: string, date: string): Gift {
  return { organisationId: organisation, organisationName: organisation, amount: 100, date };
}
