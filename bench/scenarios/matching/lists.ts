/** Common variants of names, taken from general knowledge and used only by this benchmark. */

/** Short forms of names that occur in contact lists. */
export const NICKNAMES: Record<string, readonly string[]> = Object.fromEntries(
  `Robert:Bob,Rob,Bobby,Robbie,Bert|William:Bill,Will,Billy,Willie,Liam|James:Jim,Jimmy,Jamie
   |John:Jack,Johnny,Jon|Richard:Dick,Rick,Rich,Ricky|Charles:Charlie,Chuck,Chas|Thomas:Tom,Tommy
   |Edward:Ed,Ted,Eddie,Ned|Michael:Mike,Mickey,Mick|Joseph:Joe,Joey|David:Dave,Davey
   |Daniel:Dan,Danny|Christopher:Chris,Kit|Matthew:Matt|Anthony:Tony|Andrew:Andy,Drew
   |Kenneth:Ken,Kenny|Steven:Steve|Stephen:Steve|Timothy:Tim|Lawrence:Larry|Raymond:Ray
   |Samuel:Sam,Sammy|Benjamin:Ben|Patrick:Pat,Paddy|Alexander:Alex,Sandy|Nicholas:Nick
   |Gregory:Greg|Jeffrey:Jeff|Ronald:Ron|Donald:Don|Gerald:Jerry|Frederick:Fred|Henry:Hank,Harry
   |Walter:Walt|Theodore:Ted,Teddy|Albert:Al|Eugene:Gene|Leonard:Len,Lenny|Philip:Phil
   |Elizabeth:Liz,Beth,Betty,Eliza,Betsy,Libby,Lizzie|Margaret:Peggy,Maggie,Meg,Marge,Greta
   |Katherine:Kathy,Kate,Katie,Kay|Catherine:Cathy,Kate|Patricia:Pat,Patty,Tricia,Trish
   |Jennifer:Jen,Jenny|Barbara:Barb,Babs|Susan:Sue,Susie|Deborah:Deb,Debbie|Rebecca:Becky,Becca
   |Dorothy:Dot,Dottie,Dolly|Judith:Judy|Virginia:Ginny,Ginger|Pamela:Pam|Sandra:Sandy
   |Christine:Chris,Tina,Chrissy|Cynthia:Cindy|Kimberly:Kim|Victoria:Vicky,Tori|Theresa:Terry,Tess
   |Jacqueline:Jackie|Jessica:Jess,Jessie|Amanda:Mandy|Abigail:Abby|Susanna:Sue|Eleanor:Ellie,Nell
   |Frances:Fran,Fanny|Mary:Molly,Polly|Ann:Nancy,Annie|Sarah:Sally|Helen:Nell|Martha:Patsy
   |Harold:Hal,Harry|Francis:Frank|Vincent:Vince|Nathaniel:Nate,Nat|Zachary:Zach|Joshua:Josh
   |Jonathan:Jon|Russell:Russ|Arthur:Art|Bernard:Bernie|Clifford:Cliff|Douglas:Doug`
    .split('|')
    .map((line) => line.trim().split(':'))
    .map(([name = '', forms = '']) => [name, forms.split(',')]),
);

/** Last names that are rare or missing in the lists of common names. */
export const RARE_LAST_NAMES =
  `Abernathy-Cole Achterberg Bellweather Brzezicki Castellanos-Ruiz Dragomirov Eastergaard Fitzwarren
   Galbreath Hollingshead Iskander Janowicz Kirschbaum Lindqvist Macnamara Nakashima Oyelaran
   Papadakis Quattlebaum Rasmussen Szymanski Thibodeaux Uchenna Vanterpool Wojciechowski Xiong-Lee
   Yarborough Zimmermann Okonkwo Delacroix Fairweather Hargreaves Pemberton Standish Winterbourne`
    .split(/\s+/)
    .filter((name) => !name.includes('-'));

export const RARE_FIRST_NAMES =
  `Adelbert Bronwen Calliope Dashiell Eustacia Florizel Guinevere Hyacinth Ignatius Jocasta Kester
   Leocadia Mungo Nerissa Ottoline Peregrine Quillon Rosamund Serafina Thaddea Ulrika Valeska
   Wilhelmine Xanthe Yolande Zebulon Anselm Blythe Cosima Drusilla`.split(/\s+/);

export const ADDED_WORDS = [
  'Chicago Office',
  'North America',
  'Worldwide',
  'Headquarters',
  'Global Services, Inc.',
  'Research Division',
  'of Delaware',
  'International Group LLC',
  '(Retired)',
  'Region 4',
];

/** Alternative spellings of public bodies. */
export const FORMER_SPELLINGS: readonly [RegExp, string][] = [
  [/^U\.S\. (?=Army|Navy|Air Force|Marine)/, 'United States '],
  [/^U\.S\. House of Representatives$/, 'United States House of Representatives'],
  [/^U\.S\. Department of /, 'US Dept. of '],
  [/^U\.S\. District Court for the /, 'United States District Court, '],
  [/^U\.S\. Court of Appeals for the /, 'US Court of Appeals, '],
  [/^U\.S\. /, 'United States '],
];

export const STATE_NAMES: Record<string, string> = Object.fromEntries(
  `AL Alabama|AK Alaska|AZ Arizona|AR Arkansas|CA California|CO Colorado|CT Connecticut|DC District of Columbia
   |DE Delaware|FL Florida|GA Georgia|HI Hawaii|IA Iowa|ID Idaho|IL Illinois|IN Indiana|KS Kansas|KY Kentucky
   |LA Louisiana|MA Massachusetts|MD Maryland|ME Maine|MI Michigan|MN Minnesota|MO Missouri|MS Mississippi
   |MT Montana|NC North Carolina|ND North Dakota|NE Nebraska|NH New Hampshire|NJ New Jersey|NM New Mexico
   |NV Nevada|NY New York|OH Ohio|OK Oklahoma|OR Oregon|PA Pennsylvania|RI Rhode Island|SC South Carolina
   |SD South Dakota|TN Tennessee|TX Texas|UT Utah|VA Virginia|VT Vermont|WA Washington|WI Wisconsin
   |WV West Virginia|WY Wyoming`
    .split('|')
    .map((line) => line.trim())
    .map((line) => [line.slice(0, 2), line.slice(3)]),
);
