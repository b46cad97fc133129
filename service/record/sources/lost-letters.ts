/** Restores letters with accents that a register has lost, if possible. */

/** Common names in the United States that contain letters with accents. */
const ACCENTED =
  `José María Jesús Ángel Andrés Tomás Ramón Raúl Rubén Joaquín Julián Adrián Sebastián Fabián Germán Hernán Iván Martín Nicolás Óscar Víctor Héctor
  César Félix Simón Inés Lucía Sofía Mónica Verónica Mónica Rocío Belén Concepción Asunción Ascensión Encarnación Bárbara Cándida Débora Élena
  García Martínez Rodríguez Hernández López González Pérez Sánchez Ramírez Gómez Díaz Jiménez Álvarez Gutiérrez Fernández Vásquez Vázquez Núñez Muñoz
  Peña Ibáñez Yáñez Ordóñez Castañeda Castaño Zúñiga Bañuelos Quiñones Quiñónez Acuña Espín Marín Durán Roldán Galván Beltrán Guzmán Román Colón Cortés
  Chávez Suárez Juárez Velázquez Velásquez Méndez Mejía Ávila Dávila Ríos Solís Valdés Ángeles Calderón Rincón León Alarcón Pagán Millán Farías Macías
  René Renée François Françoise André Andrée Hélène Thérèse Geneviève Michèle Josée Étienne Élise Éric Frédéric Jérôme Benoît Noël Zoë Chloë Chloé Anaïs Loïc
  Béatrice Cécile Véronique Valérie Amélie Aurélie Mélanie Stéphane Stéphanie Sébastien Grégoire Raphaël Gaël Joël Danièle Gisèle Solène Beyoncé Desirée
  Björn Jörg Jürgen Günter Günther Müller Schröder Köhler Krüger Schäfer Böhm Jäger Kärcher Grünwald Grün König Möller Förster Bäcker Weiß Groß Strauß
  Håkan Åke Åsa Øyvind Søren Jørgen Bjørn Mårten Märta Göran Jörgen Sørensen Jørgensen Ødegård Hägg Sjögren Löfgren Nyström Öberg Åberg Åkerman
  João Gonçalves Conceição Magalhães Simões Guimarães Antônio Mário Luís Sílvia Côté Bélanger Lévesque Hébert Dubé Poirier Gagné Crépeau Thériault
  Dvořák Novák Černý Kučera Łukasz Wałęsa Kovács Szabó Németh Molnár Siân Zoé Séan Seán Órla Máire Bríd`.split(
    /\s+/,
  );

/** Matches the characters that a register writes in the place of a lost letter. */
const LOST = /\uFFFD|(?<=\p{L})\?(?=\p{L}|\s|,|$)|(?<=^|\s)\?(?=\p{L})/u;
const LOST_LETTERS = new RegExp(LOST.source, 'gu');

/** The characters of windows-1252 for the bytes from 80 to 9F. */
const WINDOWS_1252: ReadonlyMap<string, number> = new Map(
  Array.from({ length: 0x20 }, (_, at): [string, number] => [
    new TextDecoder('windows-1252').decode(Uint8Array.of(0x80 + at)),
    0x80 + at,
  ]),
);

/** Matches UTF-8 that was read as windows-1252, such as "MÃ¼ller". */
const TWICE_DECODED = /[\u00C2-\u00C5](?=\P{ASCII})/u;

/** Letters of old DOS code pages that otherwise do not occur in names. */
const OF_DOS = new Map([
  ['¤', 'ñ'],
  ['¥', 'Ñ'],
]);

/** Matches a lost apostrophe, as in "O?BRIEN". */
const LOST_APOSTROPHE = /(?<=(?:^|[\s,])[OoDdLl])[?\uFFFD](?=\p{Lu})/gu;

/**
 * Restores letters that were decoded twice, and lost letters in the names of the list. All other names stay unchanged.
 */
export function restoreLetters(text: string): string {
  const plain = text
    .replaceAll(/&(?:#(\d{2,5})|(\w{2,8}));/g, (entity, code, name) =>
      code === undefined ? (ENTITIES.get(name) ?? entity) : String.fromCodePoint(Number(code)),
    )
    .replaceAll(LOST_APOSTROPHE, "'")
    .replaceAll(/[¤¥]/g, (code) => OF_DOS.get(code) ?? code);
  const once = TWICE_DECODED.test(plain) ? decodeAgain(plain) : plain;
  return LOST.test(once) ? once.replaceAll(/[^\s,]+/g, restoreName) : once;
}

const ENTITIES = new Map(
  `amp & apos ' quot " eacute é Eacute É egrave è aacute á Aacute Á iacute í Iacute Í oacute ó Oacute Ó uacute ú Uacute Ú ntilde ñ Ntilde Ñ
   ouml ö Ouml Ö uuml ü Uuml Ü auml ä Auml Ä ccedil ç Ccedil Ç euml ë oslash ø aring å szlig ß rsquo ’ nbsp`
    .split(/\s+/)
    .flatMap((word, at, all) => (at % 2 === 0 ? [[word, all[at + 1] ?? ' '] as const] : [])),
);

function decodeAgain(text: string): string {
  const bytes = Array.from(
    text,
    (letter) => WINDOWS_1252.get(letter) ?? letter.codePointAt(0) ?? 0,
  );
  if (bytes.some((byte) => byte > 0xff)) return text;
  const decoded = Buffer.from(bytes).toString('utf8');
  return decoded.includes('\uFFFD') ? text : decoded;
}

function restoreName(word: string): string {
  if (!LOST.test(word)) return word;
  const isShouted = word === word.toUpperCase();
  const letters = word
    .split(LOST_LETTERS)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(`^${letters.join('\\P{ASCII}')}$`, 'iu');
  const [name, ...others] = new Set(ACCENTED.filter((one) => pattern.test(one)));
  if (name === undefined || others.length > 0) return word;
  return isShouted ? name.toUpperCase() : name;
}
