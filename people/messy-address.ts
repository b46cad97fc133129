/** Addresses as people type them into a CRM. */

import { type Address, STREET_ABBREVIATIONS } from './address.ts';
import { MESS_RATES } from './mess.ts';
import { chance, type Draw, pick } from './random.ts';

/** What a row of a contact list makes of a person's home and earlier homes (see `MESS_RATES`). */
export function messyAddress(draw: Draw, home: Address, earlier: Address[]): Address | null {
  if (chance(draw, MESS_RATES.missingAddress)) return null;
  const isOld = chance(draw, MESS_RATES.oldAddress) && earlier.length > 0;
  const address = isOld ? pick(draw, earlier) : home;
  return chance(draw, MESS_RATES.abbreviatedAddress) ? abbreviated(draw, address) : address;
}

function abbreviated(draw: Draw, address: Address): Address {
  const stop = chance(draw, 0.5) ? '.' : '';
  const numberSign = chance(draw, 0.5);
  const [number = '', ...words] = address.street.split(' ');
  const short = words.map((word) => {
    const abbreviation = STREET_ABBREVIATIONS.get(word);
    return abbreviation ? abbreviation + stop : word;
  });
  const street = [number, ...short].join(' ');
  return { ...address, street: numberSign ? street.replace(/ Apt\.? /, ' #') : street };
}
