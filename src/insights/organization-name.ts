/** How a person writes the name of an organization within a sentence. */

/** Beginnings that nobody says without an article, of whatever kind the organization is. */
const ARTICLE_BEFORE =
  /^(?:U\.S\. (?!Steel|Bank)|United States (?!Steel)|United Nations|University of |College of |Supreme Court|Department of |City of |State of |White House|Board of |Committee on |Joint |Friends of |YMCA|YWCA|NAACP)/;

/** What a nonprofit is, as the last word of its name or before an `of`, `for` or `on`. */
const ARTICLE_FOR =
  /\b(?:Administration|Agency|Alliance|Army|Arboretum|Aquarium|Association|Authority|Ballet|Board|Bureau|Cent(?:er|re)|Chamber|Clinic|Club|Coalition|Collaborative|Commission|Committee|Conference|Congress|Conservancy|Consortium|Corps|Council|Court|Cross|Department|Endowment|Federation|Fellowship|Foundation|Friends|Fund|Gallery|Gardens?|Guild|House of Representatives|Initiative|Institute|Institution|League|Library|Mission|Museum|Network|Opera|Orchestra|Panel|Partnership|Philharmonic|Project|Senate|Shelter|Society|Symphony|Theatre|Theater|Trust|Union|Zoo)(?: (?:of|for|on|to|against)\b.*)?$/;

/** The kinds of organizations whose names are plain names. */
const PLAIN_KINDS: ReadonlySet<string> = new Set(['company', 'school']);

/** `the Women's Shelter`, but `Riverside Food Bank`, in one line; `kind` as the service has it. */
export function withArticle(name: string, kind: string | null): string {
  const plain = name.replace(/\s+/g, ' ').trim();
  const isDescription = !PLAIN_KINDS.has(kind ?? '') && ARTICLE_FOR.test(plain);
  const hasOwn = /^the /i.test(plain);
  return !hasOwn && (isDescription || ARTICLE_BEFORE.test(plain)) ? `the ${plain}` : plain;
}
