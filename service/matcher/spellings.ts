/** Given names with several spellings, of which a source may use any spelling. */

/** Each entry of the list contains all spellings of one name. */
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
|yelena elena|yevgeny evgeny evgeni yevgeni|yolanda iolanda|yuri yuriy iouri youri|yusuf yousef youssef yousuf yusef yousif yosef|yvette ivette|yvonne ivonne
|zachary zachery zackary zackery|zoe zoey`;

/**
 * Names from Arabic, Persian, Greek, Russian, Ukrainian and Hebrew, and from the languages of India. Each entry
 * contains the spellings of ALA-LC, BGN/PCGN, ISO 9 and ISO 843, and the usual French spelling. Each entry also
 * contains the spellings that people choose for themselves. Similar names that are different, such as Samir and Samer,
 * have separate entries.
 */
const ROMANISED = `
abbas abas|abdallah abdullah abdalla abdulla|abdelaziz abdulaziz|abdelkader abdulkadir abdulqadir abdelqader
|abdelrahman abdulrahman abdurrahman abdirahman|abdulkarim abdelkarim abdulkareem abdelkrim|adel adil|agapi agape
|ahmad ahmed ahmet|akash aakash|aleksandr oleksandr alexandr|aleksandra oleksandra|alexei oleksii oleksiy|ali aly
|alyona alena|amin ameen|amina aminah ameena|amir ameer emir|amit ameet
|anastasia anastasiya anastasiia anastassia|anastasios anastassios|anatoly anatoliy anatoli anatolii|andreas andhreas
|andrey andrii andriy andrej andrzej|angeliki aggeliki|anil aneel|antonios andonios antonis|anwar anouar anwer
|apostolos apostolis|aristeidis aristides aristidis|arkady arkadi arkadiy arkadii|artem artyom artiom|ashish aashish
|asma asmaa|athanasios athanassios|avraham avrohom abraham|ayman aiman aymen|aziz azeez|baruch boruch|bikash vikas
|bilal belal bilel|bogdan bohdan|boris borys|boutros butros|brahim ibrahim ebrahim|chaim haim hayim hyam chayim
|chana hana hannah channah|chandra chander|charalambos haralambos charalampos haralampos|christos hristos chrystos
|constantinos konstantinos kostantinos constantine|daria darya dariya dariia|dawood dawud daoud daud|deepa dipa
|deepak dipak|denys denis|despina despoina|dilip dileep|dimitra demetra dhimitra
|dimitrios demetrios dimitris demetris dimitri|dmitri dmytro dmitrii|efraim ephraim efrayim|efstathios eustathios
|efthymios efthimios euthymios|eftychia eftihia|eirini irini|ekaterina yekaterina jekaterina|eleftherios elefterios
|eliezer eliezar|emmanouil emmanuel manouil|esther ester|evangelia evaggelia euangelia|evangelos evaggelos euangelos
|evgenia yevgenia evgeniya yevgeniya evgeniia|evgeny evgenii evgeniy yevgeniy yevgenii eugeny|faisal faysal feisal
|farid fareed|farouk farooq faruk faruq|fatima fatimah fatema fatma|fotini foteini photini|fotis photis
|fouad fuad fuat|fyodor fedor feodor fiodor|galina halyna galyna|gamal jamal jamaal djamal|geeta gita geetha
|gennady gennadi gennadiy gennadii hennadiy|georgia yeoryia|georgios giorgos yiorgos yorgos georgos gheorghios
|georgy georgi georgiy georgii|gerasimos yerasimos|grigorios gregorios grigoris
|grigory grigori grigoriy grigorii hryhoriy|habib habeeb|hadassah hadasa hadas|hadi hady|hakim hakeem
|halima halimah haleema|hamid hameed|hamza hamzah|hanan hanane|harish hareesh|hasan hassan hassen|hatem hatim
|hisham hesham hicham|hossein hussein husain hussain husayn hosein houssein husein|houda huda hoda|idris idrees driss
|igor ihor|ilias elias helias|ilya ilia illia iliya|iman eman imane|ioanna yianna yanna
|ioannis yannis giannis yiannis yanni ioannes yianni|irina iryna
|ismail ismael ismaeel esmail|itzhak yitzhak yitzchak itzchak itzik|jafar jaafar jaffar gafar|jagdish jagdeesh
|jamila jamilah jameela|jawad javad jawed|jyoti jyothi|kalliopi calliope|kamal kamel kemal|karim kareem|karima kareema
|katerina ekaterini aikaterini katerini|khaled khalid|khalil khaleel|konstantin constantin kostiantyn konstantyn
|krishna krushna krishnan|ksenia kseniya xenia kseniia|kyriaki kiriaki|kyriakos kiriakos|lakshmi laxmi lakshmy
|lalita lalitha|larisa larissa larysa|latif lateef|latifa lateefa|leonidas leonidhas|lotfi lutfi|loukas lukas
|lyubov liubov lubov|lyudmila ludmila liudmila lyudmyla ludmilla|mahdi mehdi|mahmoud mahmud mahmood mehmood mahmut
|majid majeed maged|maksim maxim maksym|malka malkah|manish maneesh|mansour mansoor mansur|margarita margaryta
|maria mariya mariia|mariam maryam meryem mariyam|markos marcos|masoud masood mesud masud|meena mina|meera mira
|menachem menahem|michail michalis mihalis mihail|mihail mikhail michail mykhailo mikhailo|mikola mykola mikalai
|mona muna mouna|mordechai mordecai mordehai|moshe moishe mosheh|mounir munir muneer monir
|moustafa mustafa mostafa mustapha moustapha|nabil nabeel|nachman nahman|nadezhda nadejda nadiya nadiia|nadim nadeem
|naguib najib najeeb|nagwa najwa|najla nagla|nasser nasir naser nacer|nassim nasim naseem
|natalia nataliya nataliia natalya natalija|neelam nilam|neeta nita|nikita mykyta|nikolaos nicolaos nikolas nicholaos
|nikolay mykola nikolaj|nitin nithin|nitish nitesh|nour noor nur|oleg oleh|olga olha|omar umar omer
|osman othman usman uthman ousmane|panagiotis panayiotis panayotis panaghiotis|pavel pavlo|pavlos paulos
|pericles periklis perikles|pinchas pinhas phineas|pradeep pradip|praveen pravin|preeti priti preethi
|pyotr petr petro piotr|qasim kassem qassem kasim kassim qasem|rachid rashid rasheed reshid|rafiq rafik rafeeq
|rahim raheem|rahman rehman|rajeev rajiv|ramadan ramazan ramadhan|rauf raouf raoof|reem rim|reza riza|ritu reetu
|rivka rivkah rifka|rostislav rostyslav|sabir saber|saleh salih|salim salem saleem|salma selma|samir sameer
|samira sameera|sandeep sandip|sangeeta sangita sangeetha|sanjay sanjai|sanjeev sanjiv|santosh santhosh
|satish sateesh|savvas savas|seema sima|semyon semen semion|sergei sergey serhii serhiy sergii sergiy siarhei sergej
|shanti shanthi|sharif shareef cherif sherif|sherin shireen shirin sherine|shiva siva|shlomo shelomo
|shoshana shoshanna|shweta sweta swetha|simcha simha|sita seeta seetha|smita smitha|sofoklis sophocles sofocles
|soliman suleiman sulaiman sulayman suleyman souleymane|sotirios sotiris soterios|spyridon spiridon|spyros spiros
|sri shri|srinivas shrinivas sreenivas srinivasa|stamatis stamatios|stanislav stanislaw|stefanos stephanos stephanus
|stylianos stilianos stelianos|subhash subash|sudhir sudheer|sultan soltan|sumit sumeet|sunil suneel
|sunita suneeta sunitha|svetlana svitlana sviatlana|sviatoslav svyatoslav|swati swathi|tahir taher
|tariq tarek tareq tarik|tatyana tetiana tetyana tatjana tatiyana|theodoros theodhoros theodorus|theofilos theophilos
|tzipora tzipporah zipporah tsipora|tzvi zvi tsvi|vadim vadym|valentin valentyn|valentina valentyna
|valeriy valery valeri valerii|vasileios vasilios vassilios vasilis vassilis|vasiliki vassiliki
|vasily vasili vasiliy vasilii vassily vasyl vassili|vidya vidhya|vijay vijai|vikram bikram|viktor wiktor|vinod binod
|vitaly vitali vitaliy vitalii|vivek bibek|vladimir volodymyr vladimer|vsevolod wsewolod
|vyacheslav viatcheslav vyatcheslav|wahid waheed|walid waleed oualid|xenophon xenofon|yaakov yakov jacov
|yahya yahia yehia|yakov iakov jakov yakiv|yaroslav iaroslav jaroslav|yasin yassin yaseen yassine|yasir yasser yaser
|yehoshua jehoshua|yehuda yehudah jehuda|yekaterina kateryna|yisrael israel|yochanan yohanan
|yulia yuliya iulia yuliia iuliia julia julija|yunus younes younis yunis yonus|yuri yury yurii iurii jurij iuri
|zahra zehra zahraa|zainab zaynab zeinab zeynep zineb|zakaria zakariya zakariyya zekeriya|zeev zev|zhanna janna
|zia ziya|ziad ziyad|zinaida zinayida|zoi zoe`;

let spellings: Map<string, Set<string>> | undefined;

/** Returns the other spellings of a comparable given name. */
export function spellingsOf(name: string): ReadonlySet<string> {
  spellings ??= readSpellings();
  return spellings.get(name) ?? NONE;
}

const NONE: ReadonlySet<string> = new Set();

function readSpellings(): Map<string, Set<string>> {
  const all = new Map<string, Set<string>>();
  for (const line of `${SPELLINGS}|${ROMANISED}`.split('|')) {
    const names = line.split(/\s+/).filter((name) => name !== '');
    for (const name of names) {
      const others = all.get(name) ?? new Set();
      for (const other of names) if (other !== name) others.add(other);
      all.set(name, others);
    }
  }
  return all;
}
