/** Generates the world's companies, nonprofits and schools from numbers. */

import { type IdKind, idOf } from './id.ts';
import { INVENTED_NAME_COUNT, inventedName } from './invented-name.ts';
import { entryAt, seedFor } from './random.ts';

/** The organisation of a role or a gift. */
export interface Organisation {
  organisationId: string;
  organisationName: string;
}

const TRADES =
  `Systems,Logistics,Foods,Capital,Energy,Software,Medical,Insurance,Construction,Manufacturing,
   Partners,Consulting,Pharmaceuticals,Airlines,Motors,Textiles,Realty,Publishing,Engineering,
   Semiconductor,Hotels,Packaging,Analytics,Machinery,Bank,Media,Chemical,Retail,Law Group,
   Telecom`.split(/,\s*/);
const CAUSES =
  `Food Bank,Community Foundation,Children's Hospital,Land Trust,Symphony,Museum of Art,
   Humane Society,Literacy Project,Scholarship Fund,Housing Alliance,Public Library Friends,
   Youth Theatre,Health Clinic,River Conservancy,Historical Society,Veterans Fund,Women's Shelter,
   Botanical Garden,Senior Center,Legal Aid,Science Museum,Boys and Girls Club,Hospice,
   Choral Society,Wildlife Rescue,Job Training Center,Cancer Fund,Public Radio,Rowing Club,
   Refugee Center`.split(/,\s*/);
const REGIONS = ['', 'Greater ', 'North ', 'South ', 'East ', 'West '];
const SCHOOL_FORMS = ['University', 'College', 'State University', 'Institute of Technology'];

/** The number of companies. Each possible name belongs to one company. */
export const COMPANY_COUNT = INVENTED_NAME_COUNT * TRADES.length;

/** The number of colleges and universities. */
export const SCHOOL_COUNT = 300;

/**
 * The distance between the names of consecutive ranks. It has no factor in common with the numbers of names, whose
 * prime factors are 2, 3 and 5. Therefore, every name is used once before a name is used again.
 */
const NAME_STEP = 7919;

/** Returns a company. Rank 0 is the largest employer. */
export function companyAt(seed: number, rank: number): Organisation {
  const name = scatter(seed, 'company', rank, COMPANY_COUNT);
  const trade = entryAt(TRADES, Math.floor(name / INVENTED_NAME_COUNT));
  return organisation(seed, 'company', rank, `${inventedName(name)} ${trade}`);
}

export function nonprofitAt(seed: number, number: number): Organisation {
  const nameCount = INVENTED_NAME_COUNT * CAUSES.length * REGIONS.length;
  const name = scatter(seed, 'nonprofit', number, nameCount);
  const kind = Math.floor(name / INVENTED_NAME_COUNT);
  const region = entryAt(REGIONS, Math.floor(kind / CAUSES.length));
  const full = `${region}${inventedName(name)} ${entryAt(CAUSES, kind)}`;
  return organisation(seed, 'nonprofit', number, full);
}

/** Returns the college or university with this rank. The school with rank 0 has the most students. */
export function schoolAt(seed: number, rank: number): Organisation {
  const name = scatter(seed, 'school', rank, INVENTED_NAME_COUNT);
  const form = entryAt(SCHOOL_FORMS, rank);
  return organisation(seed, 'school', rank, `${inventedName(name)} ${form}`);
}

/** Converts a rank to the number of a name. A different seed gives the ranks different names. */
function scatter(seed: number, kind: IdKind, number: number, count: number): number {
  return (number * NAME_STEP + seedFor(seed, kind)) % count;
}

function organisation(seed: number, kind: IdKind, number: number, name: string): Organisation {
  return { organisationId: idOf(seed, kind, number), organisationName: name };
}
