/** Generates the names of fictional places. Fictional organisations are named after them. */

import { entryAt } from './random.ts';

const FRONTS =
  `Alder Bram Cald Corv Dunn Elms Fenn Garr Hest Iver Jarn Kell Lorn Mard Nev Ost Pell Quill Rav
   Selk Thorn Ulver Vern Wex Yarr Zell Brack Cray Drum Esk Farr Gled Hask Ings Kirr Lang Mell Norr
   Orr Pren`.split(/\s+/);
const ENDS =
  `brook vane mere wick holt stead moor fell dale gate combe hurst ley more ridge shaw thorpe well
   worth by ness den low marsh field`.split(/\s+/);

/** The number of different names. */
export const INVENTED_NAME_COUNT = FRONTS.length * ENDS.length;

/** Returns a name. After the last name, the first name follows again. */
export function inventedName(number: number): string {
  return entryAt(FRONTS, number) + entryAt(ENDS, Math.floor(number / FRONTS.length));
}
