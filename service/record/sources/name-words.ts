/** Words that registers write next to names, and words that start last names of several words. */

import { words } from '../../matcher/words.ts';

/** Forms of address. */
export const TITLES = new Set(
  words(
    'mr mrs ms miss mx dr drs prof professor rev revd reverend hon honorable honourable sir fr',
  ),
);

/** Ranks and offices that precede a name. */
export const RANKS = new Set(
  words(
    `the very most right rt msgr monsignor bishop archbishop cardinal deacon mother sister brother br elder judge justice senator
    sen congressman congresswoman rep representative governor gov mayor sheriff commissioner councilman councilwoman councilmember
    ambassador amb supervisor superintendent chief coach chaplain canon atty attorney rabbi cantor imam pastor father minister
    bg brig brigadier gen general mg ltg lt lieutenant col colonel ltc ltcol cpt capt captain maj major cdr lcdr cmdr commander adm admiral
    radm vadm ens sgt sergeant msgt ssgt tsgt cmsgt smsgt csm sgm cpl pvt cwo ret retired`,
  ),
);

/** Suffixes that name a generation. */
export const GENERATIONS = new Map([
  ['jr', 'Jr'],
  ['junior', 'Jr'],
  ['sr', 'Sr'],
  ['senior', 'Sr'],
  ['ii', 'II'],
  ['2nd', 'II'],
  ['iii', 'III'],
  ['3rd', 'III'],
  ['iv', 'IV'],
  ['4th', 'IV'],
]);

/** Degrees, religious orders and branches of service that are very rare as last names. */
export const DEGREES = new Set(
  words(
    `md phd esq esquire cpa jd rn mba emba edd dds dmd dvm cfa cfp facs facp fache faap facog faan facc faia aia ret retired lcsw licsw lmsw lisw lmhc
    msw bsw mph mha mpa mpp mdiv dmin thd thm stm psyd pharmd dnp aprn msn bsn adn lpn cna lpc lmft mft cfre cfrm cae llm llb mfa mfa mat med edm ded eds rph
    crna cnm cnp fnp arnp dpt mpt otr otd mot slp dpm od dc ddiv dhl dsc scd mcp aicp asla pmp sphr phr cebs clu chfc cpcu cism cissp cgma cma cia rd rdn ccc
    shrm usn usaf usmc uscg usar usa ofm ofmcap rsm csj ssj bvm snd ssnd sj osb osf csc cssr op osa oss ihm rscj sss opp emeritus emerita exofficio deceased decd
    osu ocd ocarm ocso ofmconv scj sds sdb fsc omi smm svd cpps acsw lmt rda cda rhia emt dha dba lcdc mls mlis bsee msc bba jcd std edspec edsp csp sphd
    mph mse msee meng ceng pe ra leed ndtr chc cpc cco chie phn pac`,
  ),
);

/** Degrees that are also last names, and that count as degrees only after a whole name. */
export const DEGREES_OR_NAMES = new Set(words('do ma ms pa ba bs pe ra np op od dc med dean'));

/** Roles that are very rare as last names. A role ends a name, so all text after it is ignored. */
export const ROLES = new Set(
  words(
    `president presidents pres chairman chairwoman chairperson cochair cochairman cochairperson vicechair vice vp evp svp avp secretary secty secy
    treasurer treas director dir directors trustee trustees ceo cfo coo cio cto cmo cno cao executive exec member members memberatlarge officer board
    past immediate interim acting asst assistant associate officio exofficio ex nonvoting non voting delegate rep representative liaison manager mgr
    administrator superintendent principal headmaster provost chancellor commissioner founder cofounder advisor adviser advisory coordinator
    controller comptroller registrar historian parliamentarian auditor elect presidentelect chairelect emeritus emerita partial part former formerly
    outgoing incoming resigned retired deceased ended 1st 2nd 3rd recording corresponding moderator convener convenor alternate observer bursar custodian curator deputy volunteer staff`,
  ),
);

/** Roles that are also last names. */
export const ROLES_OR_NAMES = new Set(
  words(
    'chair chief sec fellow steward clerk counsel general student dean pastor sergeant warden head',
  ),
);

/** Words that start a last name of several words. */
export const PARTICLES = new Set(
  words(
    'van von vom vander vande der den de del dela della delos di da dos das du la le lo las los st saint san santa ter ten zu zum zur af av el al bin bint ibn abu mac mc ni nic',
  ),
);

/** Irish last names in which some registers write the O as a separate word, as in "O BRIEN". */
export const AFTER_O = new Set(
  words(
    `brien bryan neil neill neal connor conner conor connell donnell daniel reilly riley hara leary malley rourke keefe keeffe shea sullivan
    dell toole dwyer gara grady boyle mara dea day flaherty hare loughlin meara halloran hanlon bannon callaghan driscoll donoghue donohue
    farrell ferrall gorman hearn kane kelly kelley mahony mahoney regan rear`,
  ),
);

/**
 * Spanish and Portuguese last names that do not end in "ez". Last names that end in "ez" are recognised without this
 * list.
 */
const SPANISH = new Set(
  words(
    `garcia torres rivera ortiz vega santos cruz reyes ramos rosario santiago colon morales flores castro silva soto delgado medina
    aguilar vargas castillo guerrero mendoza munoz rojas salazar contreras luna navarro molina campos ayala figueroa maldonado pagan
    acosta padilla santana cardenas mejia serrano avila leon lara fuentes cabrera robles silva sosa montoya trujillo franco rosa acevedo vila cordova
    camacho bernal quintero barrera ibarra zamora escobar cortes guerra rosas salas villarreal galvan macias valencia beltran rangel orozco
    calderon villanueva diaz ruiz muniz zavala nieves marquina carrasco velasco miranda solis duran rosado rubio pena ochoa mora miramontes negron burgos feliciano
    bonilla arroyo hinojosa lozano barajas arias bautista tapia valle correa pineda quintana ponce portillo villegas lugo espinosa espinoza`,
  ),
);

/**
 * Returns true if a last name is Spanish or Portuguese. People with such names often have two last names, from the
 * father and from the mother.
 */
export function isSpanish(name: string): boolean {
  return SPANISH.has(name) || (name.length > 4 && /(?:ez|ares|ales)$/.test(name));
}

/** Matches texts in name fields that name an organisation or nobody. */
export const NO_PERSON =
  /^\W*(?:see|refer(?: to)?)\s+(?:statement|stmt|schedule|sch|attach\w*|part|note|notes|list|below|above|next|other|exhibit|supplement\w*|additional)\b|^\W*open(?:\s+(?:seat|position|slot|board|director)\b.*)?\W*$|\b(?:statement|schedule|attach\w*|vacan(?:t|cy)|none|various|unknown|unfilled|unoccupied|not applicable|to be (?:determined|named|announced|filled|elected|appointed)|same as|board of (?:directors|trustees)|all (?:directors|officers|trustees)|bank|bny|jpmorgan|wells fargo|pnc|llc|llp|pllc|inc|corp|corporation|company|foundation|associations?|services|tbd|tba)\b|\b(?:officers?|directors?|trustees?|members?)\s+cont(?:inued|'d|d)?\b|\b(?:position|seat|slot)\s+(?:is\s+)?(?:open|vacant|unfilled|available)\b|\bn\/a\b|\bn\.\s?a\.?\s*$/i;
