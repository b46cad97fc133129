/** Words that identify the kind of a column's values. The words are in lower case, without accents or punctuation. */

const words = (text: string): string[] => text.split(',').map((word) => word.trim());

export const STREET_WORDS: ReadonlySet<string> = new Set(
  words(
    'st, street, ave, avenue, rd, road, dr, drive, ln, lane, blvd, boulevard, ct, court, pl, place, way, cir, circle, pkwy, parkway, hwy, highway, ter, terrace, trail, box, pobox, rue, allee, chemin, impasse, quai, route, calle, avenida, av, plaza, paseo, camino, via, viale, piazza, corso, largo, rua, travessa, praca, estrada, straat, laan, weg, plein, gracht, strasse, str, platz, gasse, ring, gatan, vagen, gata, vag, vej, gade, veien, gate, katu, tie, ulica, ul, postfach, postbus, bp, apartado, apdo, casella, box',
  ),
);

export const ORGANISATION_WORDS: ReadonlySet<string> = new Set(
  words(
    'inc, llc, llp, ltd, corp, corporation, co, company, companies, plc, group, holdings, partners, associates, bank, university, college, school, hospital, clinic, church, foundation, institute, services, solutions, systems, consulting, industries, technologies, agency, department, council, gmbh, ag, kg, ohg, ug, ev, stiftung, verein, bau, sarl, sas, sa, eurl, ets, societe, mairie, universite, universitat, universidad, universidade, universita, universiteit, hopital, hospital, ayuntamiento, comune, gemeente, kommun, sl, slu, srl, spa, snc, bv, nv, vof, stichting, ab, hb, lda, limitada, fabrica, banco, banca, banque, kliniken, klinik, krankenhaus, ziekenhuis, sjukhus, ospedale, schule, scuola, escola, escuela, ecole, skola, werke, verlag, energie, media, design, studio, law, legal, insurance, realty, construction, motors, foods, farms, logistics, pharma, labs, software, boulangerie, boucherie, pharmacie, education, ministere, chu, credit, mutuelle, mutuel, cooperative, backerei, metzgerei, stadtwerke, klinikum, kirchgemeinde, kirchengemeinde, panaderia, farmacia, panificio, bakkerij, bageri, bakery, club',
  ),
);

/** States, provinces and regions, by name and by code. */
export const REGION_NAMES: ReadonlySet<string> = new Set(
  words(
    'al, ak, az, ar, ca, co, ct, de, dc, fl, ga, hi, id, il, in, ia, ks, ky, la, me, md, ma, mi, mn, ms, mo, mt, ne, nv, nh, nj, nm, ny, nc, nd, oh, ok, or, pa, pr, ri, sc, sd, tn, tx, ut, vt, va, wa, wv, wi, wy, ab, bc, mb, nb, nl, ns, nt, nu, on, pe, qc, sk, yt, alabama, alaska, arizona, arkansas, california, colorado, connecticut, delaware, florida, georgia, hawaii, idaho, illinois, indiana, iowa, kansas, kentucky, louisiana, maine, maryland, massachusetts, michigan, minnesota, mississippi, missouri, montana, nebraska, nevada, new hampshire, new jersey, new mexico, new york, north carolina, north dakota, ohio, oklahoma, oregon, pennsylvania, rhode island, south carolina, south dakota, tennessee, texas, utah, vermont, virginia, washington, west virginia, wisconsin, wyoming, ontario, quebec, british columbia, alberta, manitoba, saskatchewan, nova scotia, baden wurttemberg, bayern, berlin, brandenburg, bremen, hamburg, hessen, mecklenburg vorpommern, niedersachsen, nordrhein westfalen, rheinland pfalz, saarland, sachsen, sachsen anhalt, schleswig holstein, thuringen, andalucia, cataluna, catalunya, madrid, comunidad de madrid, valencia, galicia, lombardia, lazio, piemonte, veneto, toscana, sicilia, campania, puglia, noord holland, zuid holland, utrecht, noord brabant, gelderland, overijssel, limburg, friesland, groningen, drenthe, zeeland, flevoland, lisboa, porto, stockholm, skane, vastra gotaland, ile de france, bretagne, occitanie, normandie',
  ),
);

export const COUNTRY_NAMES: ReadonlySet<string> = new Set(
  words(
    'us, usa, u s a, united states, united states of america, america, canada, ca, mexico, uk, gb, united kingdom, great britain, england, scotland, wales, ireland, australia, new zealand, germany, deutschland, de, allemagne, alemania, germania, duitsland, alemanha, tyskland, france, fr, frankreich, francia, frankrijk, franca, frankrike, spain, spanien, espagne, espana, es, spagna, spanje, espanha, italy, it, italien, italie, italia, netherlands, nl, niederlande, pays bas, paises bajos, paesi bassi, nederland, paises baixos, nederlanderna, portugal, pt, portogallo, sweden, se, schweden, suede, suecia, svezia, zweden, sverige, austria, osterreich, at, autriche, switzerland, schweiz, suisse, svizzera, ch, belgium, belgien, belgique, belgie, be, belgio, belgica, denmark, danmark, danemark, dinamarca, norway, norge, norwegen, noruega, finland, suomi, poland, polska, polen, india, china, japan, brazil, brasil, argentina, chile, colombia, peru, luxembourg, luxemburg, kenya, south africa, nigeria, israel, singapore, philippines, puerto rico',
  ),
);
