/** The words by which columns are known, without case, accents and punctuation; the likeliest come first. */

/**
 * Ids of the contact in the row. In English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Danish,
 * Norwegian, Finnish and Polish, as are all lists of this file.
 */
export const ID_NAMES = [
  ...['id', 'individualid', 'personid', 'constituentid', 'contactid', 'donorid', 'recordid'],
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
  ...['adressnummer', 'adressnr', 'personennummer', 'identifiant', 'numerodonateur'],
  ...['numeroadherent', 'numerocontact', 'codedonateur', 'numerodesocio', 'numerosocio', 'idsocio'],
  ...['iddonante', 'iddonatore', 'codicedonatore', 'codicesocio', 'numerotessera', 'iddoador'],
  ...['numerodesocio', 'codigododoador', 'relatienummer', 'donateursnummer', 'lidnummer'],
  ...['medlemsnummer', 'givarnummer', 'kontaktnummer', 'giverid', 'jasennumero', 'numerdarczyncy'],
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

/** Those that begin with the last name come first: there is no doubt which part is which. */
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
];

/** Names of another person, or no names to find a person by. */
export const OTHER_PEOPLES =
  /spouse|spsp|partner|phonetic|maiden|former|assistant|parent|child|conjoint|ehegatt|ehepartner|conyuge|coniuge|conjuge|echtgeno|maka|middle|geburt|jeunefille/;

/** Ids of something else than the person in the row. */
export const OTHER_IDS =
  /household|haushalt|family|foyer|hogar|famiglia|huishoud|hushall|campaign|spouse|gift|fund|appeal|owner|batch|transaction|organi[sz]ation|segment|template|import/;

/**
 * Marks of people who must not be researched, or whose data must not be passed on. Marks of single
 * channels (`Do Not Email`, `No Bulk Emails`, `nomail`) say nothing of research, and a status such as
 * `Account Status` has other values besides.
 */
export const OPT_OUTS = [
  ...['donotresearch', 'noresearch', 'researchoptout', 'donotscreen', 'noscreening'],
  ...['donotprofile', 'noprofiling', 'optedout', 'optout', 'privacyoptout'],
  ...['donottrade', 'donotshare', 'donotsell', 'donotexchange'],
  ...['widerspruch', 'datenschutzwiderspruch', 'nichtrecherchieren', 'keinerecherche'],
  ...['opposition', 'refusprofilage', 'nepasprofiler', 'oposicion', 'nocompartir', 'noinvestigar'],
  ...['opposizione', 'noprofilazione', 'oposicao', 'naopartilhar', 'naopesquisar', 'bezwaar'],
  ...['nietonderzoeken', 'nietdelen', 'motsattersig', 'ejprofilering', 'reservation', 'vastustaa'],
  ...['sprzeciw'],
];

export const DECEASED = [
  ...['deceased', 'isdeceased', 'deceaseddate', 'datedeceased', 'dateofdeath', 'deathdate'],
  ...['verstorben', 'verstorbenam', 'todesdatum', 'sterbedatum', 'decede', 'datededeces'],
  ...['fallecido', 'fallecida', 'difunto', 'fechadefallecimiento', 'fechadefuncion', 'deceduto'],
  ...['deceduta', 'datadidecesso', 'datadecesso', 'falecido', 'falecida', 'datadefalecimento'],
  ...['datadeobito', 'overleden', 'overledenop', 'datumoverlijden', 'overlijdensdatum', 'avliden'],
  ...['avlidendatum', 'dodsdatum', 'dod', 'afdod', 'avdod', 'kuollut', 'kuolinpaiva', 'zmarly'],
  ...['zmarla', 'datazgonu', 'cnbiodeceased'],
];

export const DO_NOT_CONTACTS = [
  ...['donotcontact', 'isdonotcontact', 'nocontact', 'nichtkontaktieren', 'keinkontakt'],
  ...['kontaktsperre', 'nepascontacter', 'nocontactar', 'noncontattare', 'naocontactar'],
  ...['naocontatar', 'nietbenaderen', 'nietcontacteren', 'geencontact', 'kontaktaej', 'ejkontakt'],
  ...['maikkekontaktes', 'maikkekontaktes', 'kontaktikkje', 'eisaaottaayhteytta', 'niekontaktowac'],
];

export const EMPLOYER_NAMES = [
  ...['employer', 'employername', 'currentemployer', 'primaryemployer', 'companyname', 'company'],
  ...['organization', 'arbeitgeber', 'firma', 'unternehmen'],
  ...['employeur', 'societe', 'entreprise', 'empresa', 'empleador', 'azienda', 'datoredilavoro'],
  ...['societa', 'ditta', 'entidadepatronal', 'empregador', 'werkgever', 'bedrijf', 'arbetsgivare'],
  ...['foretag', 'arbejdsgiver', 'virksomhed', 'arbeidsgiver', 'bedrift', 'tyonantaja', 'yritys'],
  ...['pracodawca'],
];

/** Names of the street, further lines, the place, the region, the postal code and the country. */
export const STREETS = [
  ...['street', 'address', 'address1', 'addressline1', 'streetaddress', 'street1', 'addresslines'],
  ...['firstlineofaddress'],
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
  ...['domicilio', 'calle', 'indirizzo', 'via', 'morada', 'endereco', 'rua', 'adres', 'straat'],
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
  ...['complementadresse', 'complementdadresse', 'adresse2', 'suite', 'apartment', 'unit'],
];
export const CITIES = [
  ...['city', 'town', 'citytown', 'ort', 'stadt', 'wohnort', 'ville', 'commune', 'ciudad'],
  ...['poblacion', 'localidad', 'municipio', 'citta', 'comune', 'localita', 'cidade', 'localidade'],
  ...['plaats', 'woonplaats', 'stad', 'postort', 'by', 'poststed', 'kaupunki', 'postitoimipaikka'],
  ...['miasto', 'miejscowosc'],
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
  ...['distrito', 'uf', 'provincie', 'lan', 'fylke', 'wojewodztwo'],
];
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
  ...['postnr', 'postinumero', 'kodpocztowy'],
];
export const COUNTRIES = [
  ...['country', 'countryregion', 'land', 'pays', 'pais', 'paese', 'nazione', 'maa', 'kraj'],
];

/** What vendors put before the parts of an address; the first address with a street counts. */
export const ADDRESS_PREFIXES = [
  ...['', 'primary', 'preferred', 'pref', 'home', 'mailing', 'personal', 'main', 'primaryaddress'],
  ...[
    'preferredaddress',
    'homeaddress',
    'mailingaddress',
    'postal',
    'contact',
    'donor',
    'primarymailing',
  ],
  ...['residential', 'permanent', 'private', 'privat', 'billing'],
];
