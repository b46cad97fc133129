/** Writes names in Latin letters. */

const CYRILLIC =
  pairs(`а a,б b,в v,г g,д d,е e,ё yo,ж zh,з z,и i,й y,к k,л l,м m,н n,о o,п p,р r,с s,т t,у u,ф f,х kh,ц ts,ч ch,ш sh,
  щ shch,ъ ,ы y,ь ,э e,ю yu,я ya,і i,ї yi,є ye,ґ g,ў u,ј j,љ lj,њ nj,ћ c,ђ dj,џ dz`);

const GREEK = pairs(
  `α a,β v,γ g,δ d,ε e,ζ z,η i,θ th,ι i,κ k,λ l,μ m,ν n,ξ x,ο o,π p,ρ r,σ s,ς s,τ t,υ y,φ f,χ ch,ψ ps,ω o`,
);

/** Pairs of Greek letters that form one sound. */
const GREEK_SOUNDS = pairs('ου ou,αυ av,ευ ev,γγ ng,γκ g,γχ nch,γξ nx,μπ b,ντ nt');

const SPELLED_OUT = pairs('ß ss,æ ae,ø o,œ oe,ł l,đ d,ð d,þ th,ı i');

const NOT_LATIN = /[\p{Script=Cyrillic}\p{Script=Greek}ßæøœłđðþı]/iu;
const CYRILLIC_WORD = /[\p{Script=Cyrillic}]+/giu;
const GREEK_WORD = /[\p{Script=Greek}]+/giu;

function pairs(text: string): Map<string, string> {
  return new Map(
    text.split(',').map((pair) => {
      const [from = '', to = ''] = pair.trim().split(' ');
      return [from, to];
    }),
  );
}

/** Converts a name to Latin letters. A name that is already in Latin letters stays unchanged. */
export function toLatin(text: string): string {
  if (!NOT_LATIN.test(text)) return text;
  return text
    .normalize('NFC')
    .replaceAll(CYRILLIC_WORD, (word) => spell(word.toLowerCase(), CYRILLIC))
    .replaceAll(GREEK_WORD, spellGreek)
    .replaceAll(/[ßæøœłđðþı]/giu, (letter) => SPELLED_OUT.get(letter.toLowerCase()) ?? letter);
}

function spellGreek(word: string): string {
  let rest = word.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  // At the start of a name, two Greek letters can represent a single sound.
  rest = rest.replace(/^μπ/, 'b').replace(/^ντ/, 'd').replace(/^γκ/, 'g');
  for (const [from, to] of GREEK_SOUNDS) rest = rest.replaceAll(from, to);
  return spell(rest, GREEK);
}

function spell(word: string, letters: ReadonlyMap<string, string>): string {
  return Array.from(word, (letter) => letters.get(letter) ?? letter).join('');
}

/**
 * Returns one key for all Latin spellings of a foreign name. For example, ü can be u or ue, й can be y, i or missing,
 * and х can be kh or h. Names with the same key can also be different names.
 */
export function spellingKey(name: string): string {
  return name
    .replaceAll(/([aou])e/g, '$1')
    .replaceAll('kh', 'h')
    .replaceAll('ks', 'x')
    .replaceAll('ph', 'f')
    .replaceAll('iou', 'yu')
    .replaceAll(/[ij]([aou])/g, 'y$1')
    .replaceAll(/(?:iy|yi|ij|ii|yy|y|i)$/g, 'i')
    .replaceAll(/([a-z])\1/g, '$1');
}

/**
 * Returns one key for all forms of a last name that was adapted to another language or written by its sound. For
 * example, au and ow have one key (Braun and Brown), and so do c and k (Kox and Cox).
 */
export function lastNameKey(name: string): string {
  return spellingKey(
    name
      .replaceAll(/[ao][uw]/g, 'au')
      .replaceAll('ck', 'k')
      .replaceAll(/c(?=[aou])/g, 'k'),
  );
}

/**
 * Returns one key for all spellings of an English first name, such as Frederic and Frederick, Joann and Joanne, or
 * Barry and Barrie. Some names with one key are a man's and a woman's form, such as Denis and Denise.
 */
export function soundKey(name: string): string {
  return name
    .replaceAll('ph', 'f')
    .replaceAll(/c(?=[eiy])/g, 's')
    .replaceAll(/ck|c(?!h)/g, 'k')
    .replace(/(?:ie|ey|ee|y|i)$/, 'i')
    .replaceAll('y', 'i')
    .replaceAll(/([a-z])\1/g, '$1')
    .replace(/(?<=[a-z]{3})(?:e|h)$/, '');
}

/** Returns the name with replacements for letters that are easily confused when a paper is scanned. */
export function scanKey(name: string): string {
  return name
    .replaceAll('0', 'o')
    .replaceAll(/[1|!]/g, 'l')
    .replaceAll('5', 's')
    .replaceAll('8', 'b')
    .replaceAll('rn', 'm')
    .replaceAll('ri', 'n')
    .replaceAll('vv', 'w')
    .replaceAll('cl', 'd')
    .replaceAll('ii', 'u')
    .replaceAll('i', 'l')
    .replaceAll('h', 'b')
    .replaceAll('f', 't')
    .replaceAll('u', 'n')
    .replaceAll('c', 'e')
    .replaceAll('g', 'q')
    .replaceAll('ll', 'l');
}
