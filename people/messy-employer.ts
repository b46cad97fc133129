/** Employers as people type them into a CRM. */

import { MESS_RATES } from './mess.ts';
import { chance, type Draw, pick } from './random.ts';

const LEGAL_FORMS = [' Inc.', ' Inc', ', Inc.', ' LLC', ', LLC', ' Corp.', ' Corporation', ' Co.'];

/** What a row of a contact list makes of an employer's name (see `MESS_RATES`). */
export function messyEmployer(draw: Draw, name: string): string | null {
  if (chance(draw, MESS_RATES.missingEmployer)) return null;
  const isVariant = chance(draw, MESS_RATES.employerVariant / (1 - MESS_RATES.missingEmployer));
  return isVariant ? variantOf(draw, name) : name;
}

function variantOf(draw: Draw, name: string): string {
  const way = draw();
  if (way < 0.5) return name + pick(draw, LEGAL_FORMS);
  if (way < 0.75) return name.toUpperCase();
  return way < 0.85 ? name.toLowerCase() : `The ${name}`;
}
