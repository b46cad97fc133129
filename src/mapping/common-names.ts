import { hasNicknames } from './nicknames.ts';

/**
 * Names that many people have and that one letter turns into another of their kind: `Daniel` and
 * `Daniela`, `Johnson` and `Johnston`. Between two of them a different letter is not a misprint.
 * Chosen from the most frequent first names and surnames of the United States; spellings of one
 * name (`Gonzalez`, `Gonzales`) are here at most once, so that they pass as misprints.
 */

/** True if the word, in lower case without accents, is a given name that many people have. */
export function isGivenName(word: string): boolean {
  return hasNicknames(word) || GIVEN_NAMES.has(word);
}

/** True if the word, in lower case without accents, is a surname that is easily taken for another. */
export function isSurname(word: string): boolean {
  return SURNAMES.has(word);
}

const GIVEN_NAMES = words(`
  adriana alden aldo alisa alisha alton alvaro angelita angelo anita anton ariana arleen arlen
  arlene armand armando aubrey audrey barrett barry barton benita benito bernardo bianca blaine
  blair blanca brady brandi brandy brant brenna brennan brent briana broderick brooke brooks
  bryant bryce burton byron caleb callie camilla camille candy caren carey cari carina carissa
  carlene carlo carly carmela carrie carson caryn casey celia celina chantel charity chasity
  chelsea cherry christa clarissa clarisse clark claudio colleen collin conrad cordell corey
  cornell daisy dalton damian damon dana danette danita danna darcy daren darla darnell darwin
  davis deanna deena delbert demond devin devon dina dionne dixie dolly donnell donnie doreen
  doris dustin dusty earlene eddie edna edwina elbert eldon elias elisha elissa elmer eloise elton
  elvin elvis emerson emery emilia emilio ervin erwin estella estelle ethan eulalia fannie farrah
  felix felton flora floyd forrest freda frida garland garrick garry gavin gayla gerald gilda
  ginger glenda glenna gordon grady grant greta griffin hailey haley hallie harley harmon harvey
  hattie heidi helena hollie hollis holly horacio imelda ingrid irma irwin isaiah ismael jamal
  jamar jamel janelle janine janna jared jarrett jarrod jarvis jayden jeanna jeannine jenna jennie
  jerrell jerri jewel jillian jodie joelle johanna joline jonah jonas josue juliet justine karina
  kayla keely kelsey kelvin kendra kerri kerry krista kristian kyle lamar lance landon lanny
  larissa latasha latoya leanna leanne lenora leticia liliana lillie logan lloyd lonnie lonny lorena
  lorene lorna louie luann lucas lucio luisa lyndon macy maggie maisie mandy marcela marcelo marco
  marcos mariah mariano marisa marisol marissa marla marlin marlon marta martina marty marva mason
  mattie maura maurice melba mellie merle merlin merry mervin michal michel millard mindy minnie
  moises mollie morgan myles myron nadia nadine nanette natalia nellie nettie nolan noreen norris
  octavia orlando paige paola paolo patti percy petra polly quentin quincy ramona randi raquel
  reggie regis renata renita rhoda rhonda ricky riley roberto rocky rodger rolando roman romeo
  ronda rosanna rosanne rosie rowena roxana royce sallie sammy sanford sasha selena selma serena
  shana shanda shanna sharlene shauna shawna shelley sherry shonda simone sonia sonja sonny sonya
  stacy stella tameka tamela tamera tamika tanya taryn tasha tatiana terra terrell tilda timmy
  tisha tommy tonja tonya travis trent trenton trevor tricia trista tristan trudy tyron tyson
  valeria vance vaughn velma vera verna vilma vonda wanda weldon wendy wilbert wilda wilfredo
  willa willard willis wilma wilson winfred wyatt yvette zelda
`);

const SURNAMES = words(`
  acosta allison anderson andrews atkins avila ayers baker barber barker barnett barrett barron
  barry barton bates bauer becker benson benton berry bowers boyer boyle bryan bryant burnett
  burton carey carlson carson carter carver casey castillo castro chang chung cochran collins
  cooper corona costa cross curry dalton daniels david davila davis dawson decker dixon dorsey
  doyle duran ellison farrell fernandez ferrell fields floyd gardner garner garrett garrison gates
  giles green greer gross hansen hardin harding harper harrell harrison hayes haynes henson herman
  hernandez herrera hester higgins hogan holden holder hooper hopper horton howell huerta hunter
  johnson johnston jordan juarez keller kelley landry larson lawson lester lloyd logan lopes lucas
  macias marin marks martin mason mcgee mckee mercer meyer miles miller mills moore moran moreno
  morgan morin morris morse morton moyer nixon norris norton oconnell odonnell parker parks
  pearson perez perry person pitts porter potter potts powell powers price prince quinn ramirez
  ramos riley rivera rivers roberson roberts robertson robles rojas rollins rosales rosas salas
  salazar salinas sampson sanders saunders schmidt sherman simmons simpson sosa sparks spence
  spencer suarez sutton terry turner wagner walker wallace waller walls walter walters walton wang
  warner warren waters watson watts webber weber wells wiggins wiley yates zhang
`);

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
