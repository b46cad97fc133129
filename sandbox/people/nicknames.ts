/**
 * Short forms of first names. This is general knowledge, not a secret of the generated world:
 * whoever matches people may look here.
 */

const SHORT_FORMS = new Map<string, readonly string[]>([
  ['Abigail', ['Abby', 'Gail']],
  ['Albert', ['Al', 'Bert']],
  ['Alexander', ['Alex', 'Sandy']],
  ['Alexandra', ['Alex', 'Sandra']],
  ['Alfred', ['Al', 'Fred']],
  ['Amanda', ['Mandy']],
  ['Andrew', ['Andy', 'Drew']],
  ['Angela', ['Angie']],
  ['Anthony', ['Tony']],
  ['Arthur', ['Art']],
  ['Barbara', ['Barb', 'Babs']],
  ['Benjamin', ['Ben', 'Benny']],
  ['Bradley', ['Brad']],
  ['Calvin', ['Cal']],
  ['Catherine', ['Cathy', 'Kate', 'Katie']],
  ['Charles', ['Charlie', 'Chuck']],
  ['Christina', ['Chris', 'Tina']],
  ['Christine', ['Chris', 'Chrissy']],
  ['Christopher', ['Chris']],
  ['Clifford', ['Cliff']],
  ['Cynthia', ['Cindy']],
  ['Daniel', ['Dan', 'Danny']],
  ['David', ['Dave']],
  ['Deborah', ['Deb', 'Debbie']],
  ['Debra', ['Deb', 'Debbie']],
  ['Dennis', ['Denny']],
  ['Donald', ['Don', 'Donnie']],
  ['Dorothy', ['Dot', 'Dottie']],
  ['Douglas', ['Doug']],
  ['Edward', ['Ed', 'Eddie', 'Ted']],
  ['Edwin', ['Ed', 'Eddie']],
  ['Eleanor', ['Ellie', 'Nora']],
  ['Elizabeth', ['Liz', 'Beth', 'Betty', 'Betsy']],
  ['Eugene', ['Gene']],
  ['Florence', ['Flo']],
  ['Frances', ['Fran']],
  ['Francis', ['Frank']],
  ['Franklin', ['Frank']],
  ['Frederick', ['Fred', 'Rick']],
  ['Gerald', ['Gerry', 'Jerry']],
  ['Geraldine', ['Gerry']],
  ['Gilbert', ['Gil']],
  ['Gregory', ['Greg']],
  ['Harold', ['Hal', 'Harry']],
  ['Henry', ['Hank', 'Harry']],
  ['Herbert', ['Herb']],
  ['Howard', ['Howie']],
  ['Jacob', ['Jake']],
  ['Jacqueline', ['Jackie']],
  ['James', ['Jim', 'Jimmy', 'Jamie']],
  ['Janet', ['Jan']],
  ['Jeffrey', ['Jeff']],
  ['Jennifer', ['Jen', 'Jenny']],
  ['Jessica', ['Jess', 'Jessie']],
  ['John', ['Jack', 'Johnny']],
  ['Jonathan', ['Jon']],
  ['Joseph', ['Joe', 'Joey']],
  ['Joshua', ['Josh']],
  ['Judith', ['Judy']],
  ['Katherine', ['Kathy', 'Kate', 'Katie']],
  ['Kathleen', ['Kathy', 'Kate']],
  ['Kathryn', ['Kathy', 'Kate', 'Katie']],
  ['Kenneth', ['Ken', 'Kenny']],
  ['Kimberly', ['Kim']],
  ['Lawrence', ['Larry']],
  ['Leonard', ['Len', 'Lenny']],
  ['Lillian', ['Lil', 'Lily']],
  ['Louis', ['Lou', 'Louie']],
  ['Margaret', ['Maggie', 'Meg', 'Peg', 'Peggy']],
  ['Martha', ['Marty']],
  ['Martin', ['Marty']],
  ['Matthew', ['Matt']],
  ['Melissa', ['Missy']],
  ['Melvin', ['Mel']],
  ['Michael', ['Mike', 'Mickey']],
  ['Michelle', ['Shelly']],
  ['Mildred', ['Millie']],
  ['Mitchell', ['Mitch']],
  ['Nancy', ['Nan']],
  ['Nathaniel', ['Nate', 'Nathan']],
  ['Nicholas', ['Nick']],
  ['Norman', ['Norm']],
  ['Pamela', ['Pam']],
  ['Patricia', ['Pat', 'Patty', 'Tricia']],
  ['Patrick', ['Pat']],
  ['Peter', ['Pete']],
  ['Philip', ['Phil']],
  ['Phillip', ['Phil']],
  ['Phyllis', ['Phyl']],
  ['Randall', ['Randy']],
  ['Raymond', ['Ray']],
  ['Rebecca', ['Becky']],
  ['Richard', ['Rick', 'Dick', 'Rich']],
  ['Robert', ['Bob', 'Rob', 'Bobby']],
  ['Roberta', ['Bobbie']],
  ['Ronald', ['Ron', 'Ronnie']],
  ['Russell', ['Russ']],
  ['Samantha', ['Sam']],
  ['Samuel', ['Sam', 'Sammy']],
  ['Sandra', ['Sandy']],
  ['Stanley', ['Stan']],
  ['Stephanie', ['Steph']],
  ['Stephen', ['Steve']],
  ['Steven', ['Steve']],
  ['Stuart', ['Stu']],
  ['Susan', ['Sue', 'Susie']],
  ['Suzanne', ['Sue', 'Suzy']],
  ['Teresa', ['Terry', 'Tess']],
  ['Theodore', ['Ted', 'Teddy', 'Theo']],
  ['Theresa', ['Terry', 'Tess']],
  ['Thomas', ['Tom', 'Tommy']],
  ['Timothy', ['Tim', 'Timmy']],
  ['Valerie', ['Val']],
  ['Victor', ['Vic']],
  ['Victoria', ['Vicky', 'Tori']],
  ['Vincent', ['Vince', 'Vinny']],
  ['Virginia', ['Ginny']],
  ['Walter', ['Walt', 'Wally']],
  ['William', ['Bill', 'Will', 'Billy']],
  ['Zachary', ['Zach']],
]);

const LONG_FORMS = longForms();

/** The short forms of a first name ('Robert' → 'Bob', 'Rob', 'Bobby'); empty if it has none. */
export function nicknamesOf(firstName: string): readonly string[] {
  return SHORT_FORMS.get(capitalised(firstName)) ?? [];
}

/** The first names that a short form may stand for ('Ted' → 'Edward', 'Theodore'); empty if none. */
export function formalNamesOf(nickname: string): readonly string[] {
  return LONG_FORMS.get(capitalised(nickname)) ?? [];
}

/** Whether one person may well use both first names: equal, short and long, or two short forms of one. */
export function areSameFirstName(one: string, other: string): boolean {
  const others = new Set(formsOf(other));
  return formsOf(one).some((form) => others.has(form));
}

function formsOf(name: string): string[] {
  return [capitalised(name), ...formalNamesOf(name)];
}

function longForms(): Map<string, string[]> {
  const longForms = new Map<string, string[]>();
  for (const [long, shortForms] of SHORT_FORMS) {
    for (const short of shortForms) {
      longForms.set(short, [...(longForms.get(short) ?? []), long]);
    }
  }
  return longForms;
}

function capitalised(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1).toLowerCase();
}
