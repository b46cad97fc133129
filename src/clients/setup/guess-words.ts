/** Words that identify columns, without case, accents or punctuation. The most likely words come first. */

/**
 * Names of ID columns. All lists in this file contain words in English, German, French, Spanish, Italian, Portuguese,
 * Dutch, Swedish, Danish, Norwegian, Finnish and Polish.
 */
export const ID_NAMES = [
  ...[
    'id',
    'individualid',
    'personid',
    'constituentid',
    'contactid',
    'donorid',
    'recordid',
    'recordidcontact',
  ],
  ...[
    'contributorid',
    'memberid',
    'accountnumber',
    'donornumber',
    'constituentnumber',
    'uniqueid',
    'externalid',
  ],
  ...['kontaktid', 'kontaktnummer', 'mitgliedsnummer', 'spendernummer', 'kundennummer'],
  ...['adressnummer', 'adressnr', 'personennummer', 'numerodonateur'],
  ...['numeroadherent', 'numerocontact', 'codedonateur', 'numerodesocio', 'numerosocio', 'idsocio'],
  ...['iddonante', 'iddonatore', 'codicedonatore', 'codicesocio', 'numerotessera', 'iddoador'],
  ...['numerodesocio', 'codigododoador', 'relatienummer', 'donateursnummer', 'lidnummer'],
  ...['medlemsnummer', 'givarnummer', 'kontaktnummer', 'giverid', 'jasennumero', 'numerdarczyncy'],
  ...['customerno', 'customernumber', 'reference', 'referencecontact', 'codigo', 'codice', 'code'],
  ...['uid', 'uuid', 'guid', 'crmid', 'userid', 'systemid'],
  ...['nr', 'nummer', 'numero', 'number', 'lfdnr', 'matricula', 'referencecommande', 'importid'],
];

/** Words that mean an ID in some files and a login name in others. */
export const IDS_OR_LOGINS = ['identifiant'];

/** Words for customer or member numbers in many languages, such as `Kundennr.`, `N° adhérent` and `Código de socio`. */
export const PERSON_NUMBERS = [
  /^(kunden|mitglieds?|mitglieder|spender|adress|kontakt|personen?|debitoren?|forderer|medlems?|givar|givare|kund|relatie|lid|leden|donateurs?|klant|contact)(nr|no|nummer|code)$/,
  /^(id|identifiant|numero|num|no|codigo|codice|cod|code|reference)(de|del|do|da|di|du|dela|dell)?(adherent|donateur|membre|client|contact|contacto|contatto|socio|donante|cliente|miembro|doador|associado|utente|membro|tesserato|donatore)$/,
  /^(partner|person|contact|constituent|donor|member)key$/,
];

export const FIRST_NAMES = [
  ...[
    'firstname',
    'first',
    'donorsfirstname',
    'givenname',
    'forename',
    'fname',
    'preferredname',
    'vorname',
    'prenom',
  ],
  ...['nombre', 'nombredepila', 'nome', 'primeironome', 'nomeproprio', 'voornaam', 'roepnaam'],
  ...['fornamn', 'fornavn', 'etunimi', 'imie'],
  // Names of columns with initials. These columns are used for a file without first names.
  ...['voorletters', 'initialen', 'initials'],
];

export const LAST_NAMES = [
  ...[
    'lastname',
    'last',
    'donorssurname',
    'surname',
    'familyname',
    'lname',
    'nachname',
    'familienname',
    'zuname',
  ],
  ...['nomdefamille', 'nom', 'apellidos', 'apellido', 'primerapellido', 'cognome', 'apelido'],
  ...[
    'sobrenome',
    'ultimonome',
    'achternaam',
    'familienaam',
    'efternamn',
    'efternavn',
    'etternavn',
  ],
  ...['sukunimi', 'nazwisko'],
];

export const FULL_NAMES = [
  ...['sortname', 'fileas', 'lastfirst', 'fullname', 'name', 'displayname'],
  ...[
    'wholename',
    'contributorname',
    'contactname',
    'constituentname',
    'donorname',
    'membername',
    'personname',
  ],
  ...['nombrecompleto', 'nombreyapellidos', 'nomecompleto', 'nomeecognome', 'nomprenom'],
  ...['nometprenom', 'volledigenaam', 'naam', 'namn', 'navn', 'nimi', 'imieinazwisko'],
  ...['nomeusuario', 'nomedousuario', 'nomeassociado', 'nomedoassociado', 'nomesocio'],
  ...['nomedosocio', 'nomecliente', 'nomedocliente', 'nomedoador', 'nomedodoador'],
];

export const OTHER_PEOPLES =
  /spouse|spsp|partner|phonetic|maiden|former|assistant|parent|child|conjoint|ehegatt|ehepartner|conyuge|coniuge|conjuge|echtgeno|maka|middle|geburt|jeunefille/;

/** Words for the ID of something other than the row's person. */
export const OTHER_IDS =
  /household|haushalt|family|foyer|hogar|famiglia|huishoud|hushall|campaign|spouse|gift|donation|payment|pledge|card|fund|appeal|owner|batch|transaction|organi[sz]ation|segment|template|import/;

/**
 * Words for marks of people who must not be researched, or whose data must not be passed on. Marks for a single channel
 * (`Do Not Email`, `No Bulk Emails`, `nomail`) do not forbid research. A status column such as `Account Status` also
 * contains values that are not marks.
 */
export const OPT_OUTS = [
  ...['donotresearch', 'noresearch', 'researchoptout', 'donotscreen', 'noscreening'],
  ...['donotwealthscreen', 'nowealthscreening', 'wealthscreeningoptout', 'screeningoptout'],
  ...['optoutofwealthscreening', 'optoutofscreening', 'excludefromwealthscreening'],
  ...['excludefromscreening', 'excludefromresearch', 'optoutofresearch', 'optedoutofresearch'],
  ...['noprospectresearch', 'prospectresearchoptout', 'profilingoptout', 'optoutofprofiling'],
  ...['donotprofile', 'noprofiling', 'optedout', 'optout', 'privacyoptout', 'gdproptout'],
  ...['donottrade', 'donotshare', 'donotsell', 'donotexchange'],
  ...['widerspruch', 'datenschutzwiderspruch', 'nichtrecherchieren', 'keinerecherche'],
  ...['opposition', 'refusprofilage', 'nepasprofiler', 'oposicion', 'nocompartir', 'noinvestigar'],
  ...['opposizione', 'noprofilazione', 'oposicao', 'naopartilhar', 'naopesquisar', 'bezwaar'],
  ...['nietonderzoeken', 'nietdelen', 'motsattersig', 'ejprofilering', 'reservation', 'vastustaa'],
  ...['sprzeciw'],
];

export const DECEASED = [
  ...['deceased', 'isdeceased', 'deceaseddate', 'datedeceased', 'dateofdeath', 'deathdate'],
  ...['passedaway', 'isdead'],
  ...['verstorben', 'verstorbenam', 'todesdatum', 'sterbedatum', 'decede', 'datededeces'],
  ...['fallecido', 'fallecida', 'difunto', 'fechadefallecimiento', 'fechadefuncion', 'deceduto'],
  ...['deceduta', 'datadidecesso', 'datadecesso', 'falecido', 'falecida', 'datadefalecimento'],
  ...['datadeobito', 'overleden', 'overledenop', 'datumoverlijden', 'overlijdensdatum', 'avliden'],
  ...['avlidendatum', 'dodsdatum', 'dod', 'afdod', 'avdod', 'kuollut', 'kuolinpaiva', 'zmarly'],
  ...['zmarla', 'datazgonu', 'cnbiodeceased'],
];

export const DO_NOT_CONTACTS = [
  ...['donotcontact', 'isdonotcontact', 'nocontact', 'nichtkontaktieren', 'keinkontakt'],
  ...['dnc', 'nevercontact', 'nocontactever', 'requestsnocontact'],
  ...['kontaktsperre', 'nepascontacter', 'nocontactar', 'noncontattare', 'naocontactar'],
  ...['naocontatar', 'nietbenaderen', 'nietcontacteren', 'geencontact', 'kontaktaej', 'ejkontakt'],
  ...['wunschtkeinenkontakt', 'villejblikontaktad', 'doesnotwanttobecontacted'],
  ...['maikkekontaktes', 'kontaktikkje', 'eisaaottaayhteytta', 'niekontaktowac'],
];

export const EMPLOYER_NAMES = [
  ...['cnprbsadrorgname', 'primaryaffiliation', 'preferredorganisationname', 'foretagsnamn'],
  ...['raisonsociale', 'nomedaentidade', 'nombredecuenta', 'relatie'],
  ...['employer', 'employername', 'currentemployer', 'primaryemployer', 'companyname', 'company'],
  ...['organization', 'arbeitgeber', 'firma', 'unternehmen'],
  ...['employeur', 'societe', 'entreprise', 'empresa', 'empleador', 'azienda', 'datoredilavoro'],
  ...['societa', 'ditta', 'entidadepatronal', 'empregador', 'werkgever', 'bedrijf', 'arbetsgivare'],
  ...['orfullname', 'nomedelladitta', 'nomeditta'],
  ...['foretag', 'arbejdsgiver', 'virksomhed', 'arbeidsgiver', 'bedrift', 'tyonantaja', 'yritys'],
  ...['pracodawca', 'firmenname', 'nomeazienda', 'ragionesociale', 'nombredeempresa'],
  ...['nombredelaempresa', 'nomdelentreprise', 'nomentreprise', 'nomedaempresa', 'nomeempresa'],
  ...['bedrijfsnaam', 'firmanavn', 'yrityksennimi', 'nazwafirmy'],
];

/** Words for columns with a second employer. */
export const FURTHER_EMPLOYERS = [
  ...['associatedcompany', 'employer2', 'secondaryemployer', 'otheremployer', 'company2'],
  ...['companyname2', 'organization2name', 'organisation2name', 'arbeitgeber2', 'employeur2'],
];

export const STREETS = [
  ...['street', 'address', 'address1', 'addressline1', 'streetaddress', 'street1', 'addresslines'],
  ...[
    'straathuisnummer',
    'firstlineofaddress',
    'streetaddress1',
    'streetaddressline1',
    'addressstreet1',
    'line1',
  ],
  ...['streetandnumber', 'strassehnr', 'strassehausnr', 'adressligne1', 'adresseligne1'],
  ...['addressline', 'streetline1', 'addressstreet', 'strasse', 'strassehausnummer', 'strassenr'],
  ...[
    'strasseundhausnummer',
    'anschrift',
    'rue',
    'adresse',
    'adresse1',
    'fulladdress',
    'direccion',
  ],
  ...[
    'domicilio',
    'calle',
    'indirizzo',
    'strada',
    'via',
    'morada',
    'endereco',
    'rua',
    'adres',
    'straat',
  ],
  ...[
    'straatnaam',
    'straathuisnummer',
    'adress',
    'gatuadress',
    'gata',
    'gateadresse',
    'vej',
    'gate',
  ],
  ...['osoite', 'katuosoite', 'ulica'],
];
/** Words for a house number in a separate column. */
export const HOUSE_NUMBERS = [
  ...['hausnummer', 'hausnr', 'housenumber', 'huisnummer', 'huisnr', 'numerocivico', 'civico'],
  ...['numerodelamaison', 'housebuildingnumber', 'buildingnumber'],
  ...['husnummer', 'husnr', 'numerodevoie', 'numerorue', 'numerodaporta'],
];
/** Words that mean a house number only in a column right after the street. */
export const NUMBERS_AFTER_STREET = ['numero', 'num', 'nr', 'no', 'n', 'number', 'nummer'];
/** Types of streets that come before the street's name, such as `rua`, `calle` and `via`. */
export const STREET_TYPES = [
  'tipologradouro',
  'tipodelogradouro',
  'tipovia',
  'tipodevia',
  'typedevoie',
];
/** Words for districts of a town, which are part of addresses in some countries. */
export const DISTRICTS = [
  ...['bairro', 'barrio', 'colonia', 'quartier', 'stadtteil', 'ortsteil', 'wijk', 'frazione'],
];
export const FURTHER_LINES = [
  ...[
    'streetaddress2',
    'secondlineofaddress',
    'street2',
    'address2',
    'addressline2',
    'streetline2',
    'addressstreet2',
    'adresszusatz',
  ],
  ...['zusatznachstrasse', 'pressointerno', 'presso', 'co', 'adres2', 'rua2', 'calle2'],
  ...['toevoeging', 'huisnummertoevoeging', 'addressstreet2', 'streetaddressline2', 'addressl2'],
  ...['complementadresse', 'complementdadresse', 'adresse2', 'suite', 'apartment', 'unit'],
  ...['complemento', 'apartamento'],
  // Words for an additional address line or a post office box.
  ...['optionalline', 'zusatzvorstrasse', 'zusatzlicheadresszeile', 'adresszeile2'],
  ...['lignedadressesupplementaire', 'rigadellindirizzoaggiuntiva', 'huisnummertoev'],
  ...['pobox', 'postfach', 'boitepostale', 'casepostale', 'casellapostale', 'postbus'],
  ...['apartadodecorreos', 'caixapostal', 'postboks'],
];
export const CITIES = [
  ...['city', 'town', 'citytown', 'ort', 'stadt', 'wohnort', 'ville', 'commune', 'ciudad'],
  ...['poblacion', 'localidad', 'municipio', 'citta', 'comune', 'localita', 'cidade', 'localidade'],
  ...[
    'luogo',
    'localite',
    'lieu',
    'plaatsnaam',
    'plaats',
    'woonplaats',
    'stad',
    'postort',
    'by',
    'poststed',
    'kaupunki',
    'postitoimipaikka',
  ],
  ...['miasto', 'miejscowosc', 'plzort', 'cpville', 'capcitta', 'suburb', 'locality'],
];
export const REGIONS = [
  ...[
    'state',
    'province',
    'region',
    'stateprovince',
    'stateregion',
    'provincestate',
    'statecounty',
    'county',
  ],
  ...['bundesland', 'kanton', 'departement', 'provincia', 'comunidadautonoma', 'regione', 'estado'],
  ...[
    'estadoprovincia',
    'statecode',
    'provincecode',
    'stateprovinceregion',
    'stateterritory',
    'prov',
  ],
  ...['distrito', 'uf', 'provincie', 'lan', 'fylke', 'wojewodztwo'],
];
/** Words for regions that some files give as numbers. */
export const REGION_CODES = ['regioncode', 'regionskod', 'lanskod', 'codigoprovincia'];
export const POSTAL_CODES = [
  ...['zip', 'zipcode', 'postalcode', 'postcode', 'postal', 'zippostalcode', 'zippostal', 'plz'],
  ...['postalzipcode'],
  ...[
    'postleitzahl',
    'codepostal',
    'cp',
    'codigopostal',
    'cap',
    'codicepostale',
    'cep',
    'postnummer',
  ],
  ...['postkod', 'npa', 'nap', 'postnr', 'postinumero', 'kodpocztowy'],
];
export const COUNTRIES = [
  ...[
    'country',
    'countryregion',
    'countrycode',
    'countryname',
    'land',
    'pays',
    'pais',
    'paese',
    'nazione',
    'maa',
    'kraj',
    'landnaam',
    'landskod',
    'landkode',
    'landcode',
    'codepays',
    'landname',
  ],
];

/** Prefixes of addresses. The first address with a street is used. */
export const ADDRESS_PREFIXES = [
  ...[
    '',
    'street',
    'primary',
    'preferred',
    'pref',
    'home',
    'mailing',
    'personal',
    'main',
    'primaryaddress',
  ],
  ...[
    'preferredaddress',
    'homeaddress',
    'mailingaddress',
    'postal',
    'contact',
    'donor',
    'primarymailing',
  ],
  ...['residential', 'permanent', 'private', 'privat', 'address', 'address1', 'default'],
  ...['direccionprincipal', 'enderecoprimario', 'primairadres', 'primair'],
  ...['defaultaddress', 'billing', 'billingaddress', 'card', 'cardaddress'],
];
