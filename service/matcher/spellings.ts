/** Given names with several spellings, so that one person may be stored under any of them. */

/** One name per entry, with all its spellings next to each other. */
const SPELLINGS = `
aaron aron arron|abigail abigayle abbigail|adrian adrien|aidan aiden ayden|aimee amy amie|aisha ayesha aysha|alan allan allen alen
|alastair alistair alasdair alister|aleksandr alexander alexandr aleksander alexandre|alexandra aleksandra|alexei alexey aleksei aleksey
|alice alyce|alicia alisha alecia alesha elicia|alison allison alyson allyson|andre andrei andrey|ann anne|anna ana|annabel annabelle
|annette anette|anthony antony anthoney|antoine antwan antwon|ashley ashleigh ashlee ashly|audrey audry|barbara barbra|beverly beverley
|brandon branden brandan|brandy brandi brandie|brendan brenden brendon|brian bryan bryon brien|brittany britney brittney
|caitlin kaitlin kaitlyn katelyn caitlyn|candace candice candis|carey cary|carl karl|carla karla|carmen karmen
|carol carole carrol caryl carroll|caroline carolyn carolyne|carrie cari kari karrie|catherine katherine kathryn catharine katharine kathrine cathryn katheryn
|cathleen kathleen|cathy kathy kathi kathie|charlotte charlott|cheryl sheryl cheryle|christian kristian|christina kristina cristina christena
|christine kristine christeen|christopher kristopher cristopher christofer|cindy cyndi cindi|claire clare clair|claudia klaudia|clifford cliford
|colin collin|conner connor conor|corey cory kory|craig kraig|crystal krystal cristal chrystal|curtis kurtis|cynthia cinthia
|daniel danial|danielle daniele|darlene darleen|darrell darryl daryl darryll derrell|darren darin darrin daren|dawn dawne|deborah debra debora
|deirdre deidre dierdre|denise denice|dennis denis|derek derrick derick deric|diane dianne dyan|dillon dylan dillan|dimitri dmitri dmitry dimitry dmitriy
|dominic dominick|dorothy dorothea|douglas douglass|dwayne duane dwain|eddie eddy|edgar edger|eduardo edwardo|eileen ilene aileen|elaine elayne
|elisabeth elizabeth|ellen ellyn|elliot elliott eliot|emanuel emmanuel|emily emilie|eric erik erick|erica erika ericka|erin eryn|esther ester
|evelyn evelin|felicia phelicia|fernando ferdinando|francesca francheska|gabriel gabriell|gabriela gabriella|gail gayle gale|gary garry
|geoffrey jeffrey jeffery jeffry geoffry|george georg|georgia georgea|gerald jerald gerold|geraldine jeraldine|gerard gerrard|gerry jerry
|gilbert gilbirt|giovanni giovani|glen glenn|gloria glorya|graham graeme grahame|greg gregg|gregory greggory|gretchen gretchin|gwendolyn gwendolen
|hailey haley hayley haylee|hannah hanna hana|harold harald|harriet harriett harriette|heather hether|heidi hiedi|helen helene hellen
|henry henri|howard haward|ian iain|ingrid ingred|irene irine|iris irys|isaac isaak issac|isabel isabelle isobel isabell|ivan iwan
|jacklyn jaclyn jacquelyn jacqueline jaqueline|jackie jacqui|jacob jakob|jaime jamie jaimie jayme|james jaymes|jane jayne|janet jannet janette|janice janis
|jared jarred jarod jarrod|jasmine jasmin yasmin jazmin|jason jayson|jeanette jeannette janette|jenna jena|jennifer jenifer jeniffer
|jenny jennie|jeremy jeramy jeremie|jesse jessie|jill gill|joanna johanna johana|joel joell|jodi jody jodie|john jon jhon|jonathan johnathan jonathon johnathon
|joseph josef|josephine josefine|joyce joice|judith judyth|judy judi judie|julia giulia|julie juli|julian julien|justin justyn
|karen karin caren karyn|kasey casey|kate cate|katie katy|kayla kaila cayla|keith kieth|kelly kelley kellie kelli|kelsey kelsie|kerry kerri keri
|kevin kevan keven|khadija khadijah|kimberly kimberley|kirsten kirstin kristen kristin kristyn kirstyn|kristi kristy christy christie kristie|kyle kile
|kylie kiley kyleigh|larry lary|laura lora|lauren loren laurin|laurence lawrence laurance|laurie lori lorie lorri|leah lea lia|lee leigh|leila layla leyla
|leroy leeroy|leslie lesley|lewis louis luis|liam lyam|lillian lilian|lily lilly|linda lynda|lindsay lindsey lindsy|lisa leesa|lloyd loyd
|lucas lukas|lucy luci|luke luc|lydia lidia|lynn lynne lyn|mackenzie mckenzie makenzie|madeleine madeline madelyn madalyn|malcolm malcom
|marc mark|marcia marsha|margaret margret margarett|maria mariah marya|marie mari|marilyn marylin marilynn
|marissa marisa|marjorie margery marjory|marlene marleen|marshall marshal|martha marta|martin martyn|mathew matthew mathieu matthieu
|maureen maurine|maurice morris|megan meghan meagan meaghan|melanie melany|melissa mellissa malissa|mercedes mercedez|meredith meridith
|michael micheal mikael mikhail michail mychal|michaela mikaela mikayla makayla|michele michelle michell|miguel miquel|miranda maranda
|mohammed mohamed muhammad mohammad muhammed mohamad mohamud muhamad mahomed|molly mollie|monica monika|monique moneque|muriel meriel|myra mira
|nadia nadja|nancy nanci|naomi naomie|natalie nathalie natalee nataly|natasha natascha|nathan nathen|nathaniel nathanial nathanael|neil neal niel
|nicholas nicolas nikolas nickolas|nicole nichole nicolle|nikolai nikolay|norman normand|olivia alivia
|osama usama|oscar oskar|pamela pamala|patricia patrica|patrick patric|pauline paulene|peggy peggie|peter petr pieter|philip phillip philipp
|phyllis phylis|rachel rachael rachelle|ralph ralf|ramona romona|randall randal|raphael rafael|raymond raymund|rebecca rebekah rebeca
|regina reggina|renee rene|rhonda ronda|ricardo riccardo|richard rickard|robin robyn|rodger roger|rodney rodny|roland rolland|ronald ronold
|rosa roza|rosalind rosalyn|rosemary rosemarie|roxanne roxann|ruben reuben rubin|russell russel|ruth ruthe|ryan rian|sabrina sabrena|said sayed saeed syed
|sally sallie|samantha semantha|samuel samual|sandra sondra saundra|sara sarah|scott scot|sean shawn shaun|sebastian sebastien|sergei sergey serge
|shannon shanon|sharon sharron|shelby shelbie|shelly shelley shellie|sheri sherry sherri sherrie cherie cheri|sheila shiela sheilah shelia|sherman shermann|shirley shirly
|sidney sydney|simon symon|sofia sophia|sonia sonya sonja|sophie sofie|stacy stacey staci stacie|stanley stanly|stefan stephan steffan|stefanie stephanie stephany
|stephen steven stephan stevan|stewart stuart|susan suzan|suzanne susanne|sylvia silvia|tamara tamera|tammy tammi tammie tami|tanya tania tonya|tara tarah|tatiana tatyana
|taylor tayler|teresa theresa therese|terrence terence terrance|terri terry teri terrie|theodore theodor|thomas tomas|tiffany tiffani tiffanie|timothy timothey
|todd tod|tommy tommie|tracy tracey traci tracie|travis travus|tristan tristen|tyler tylor|ulrich ulrik|ursula ersula|valerie valarie valery
|vanessa venessa|vera veera|veronica veronika|vicki vicky vickie|victor viktor|victoria viktoria|vincent vincint|virginia verginia|vivian vivien vivienne
|vladimir wladimir|vyacheslav viacheslav|walter valter|wayne wain|wendy wendi|wesley wesly|whitney whitnee|wilfred wilfrid|william wiliam|willie willy
|yelena elena|yevgeny evgeny evgeni yevgeni|yolanda iolanda|yuri yuriy iouri youri|yusuf yousef youssef yosef|yvette ivette|yvonne ivonne
|zachary zachery zackary zackery|zoe zoey`;

let spellings: Map<string, Set<string>> | undefined;

/** The other spellings of a comparable given name. */
export function spellingsOf(name: string): ReadonlySet<string> {
  spellings ??= readSpellings();
  return spellings.get(name) ?? NONE;
}

const NONE: ReadonlySet<string> = new Set();

function readSpellings(): Map<string, Set<string>> {
  const all = new Map<string, Set<string>>();
  for (const line of SPELLINGS.split('|')) {
    const names = line.split(/\s+/).filter((name) => name !== '');
    for (const name of names) {
      const others = all.get(name) ?? new Set();
      for (const other of names) if (other !== name) others.add(other);
      all.set(name, others);
    }
  }
  return all;
}
