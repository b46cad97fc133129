/**
 * The words of American streets. Each line contains one word in canonical form (the Postal Service's abbreviation) and
 * the word's other spellings. The words come from appendix C of the Postal Service's Publication 28. Abbreviations that
 * look like a state's code are left out, such as LA for lane.
 *
 * Stored fingerprints depend on these entries, so read decision 9 before you change an entry.
 */

export const DIRECTIONS = `
n: north
s: south
e: east
w: west
ne: northeast, north east, n e
nw: northwest, north west, n w
se: southeast, south east, s e
sw: southwest, south west, s w
`;

/** The types of streets. A plural is a separate type, unless both forms have the same abbreviation. */
export const STREET_TYPES = `
aly: alley, allee, ally
anx: annex, anex, annx
arc: arcade
ave: avenue, av, aven, avenu, avn, avnue
byu: bayou, bayoo
bch: beach
bnd: bend
blf: bluff, bluf
blfs: bluffs
blvd: boulevard, boul, boulv, bvd
bg: burg
bgs: burgs
br: branch, brnch
brg: bridge, brdge
brk: brook
brks: brooks
btm: bottom, bot, bottm
byp: bypass, bypa, bypas, byps
cp: camp, cmp
cyn: canyon, canyn, cnyn
cpe: cape
cswy: causeway, causwa, causway
ctr: center, centre, cen, cent, centr, cnter, cntr
ctrs: centers, centres
cir: circle, circ, circl, crcl, crcle
cirs: circles
clf: cliff
clfs: cliffs
clb: club
cmn: common
cmns: commons
cor: corner
cors: corners
crse: course
ct: court, crt
cts: courts
cv: cove
cvs: coves
crk: creek
cres: crescent, crecent, cresent, crscnt, crsent, crsnt
crst: crest
xing: crossing, crssing, crssng
xrd: crossroad
xrds: crossroads
curv: curve
dl: dale
dm: dam
dv: divide, div, dvd
dr: drive, driv, drv, doctor
drs: drives
est: estate
ests: estates
expy: expressway, exp, expr, express, expw
ext: extension, extn, extnsn
exts: extensions
fls: falls
fry: ferry, frry
fld: field
flds: fields
flt: flat
flts: flats
frd: ford
frds: fords
frst: forest, forests
frg: forge, forg
frgs: forges
frk: fork
frks: forks
ft: fort, frt
fwy: freeway, freewy, frway, frwy
gdn: garden, gardn, grden, grdn
gdns: gardens, grdns
gtwy: gateway, gatewy, gatway, gtway
gln: glen
glns: glens
grn: green
grns: greens
grv: grove, grov
grvs: groves
hbr: harbor, harb, harbr, hrbor
hbrs: harbors
hvn: haven
hts: heights, ht, hgts
hwy: highway, highwy, hiway, hiwy, hway
hl: hill
hls: hills
holw: hollow, hllw, hollows, holws
inlt: inlet
is: island, islnd
iss: islands, islnds
isle: isles
jct: junction, jction, jctn, junctn, juncton
jcts: junctions, jctns
ky: key
kys: keys
knl: knoll, knol
knls: knolls
lk: lake
lks: lakes
lndg: landing, lndng
ln: lane, lanes
lgt: light
lgts: lights
lf: loaf
lck: lock
lcks: locks
ldg: lodge, ldge, lodg
loop: loops
mnr: manor
mnrs: manors
mdw: meadow
mdws: meadows, medows
ml: mill
mls: mills
msn: mission, missn, mssn
mtwy: motorway
mt: mount, mnt
mtn: mountain, mntain, mntn, mountin, mtin
mtns: mountains, mntns
nck: neck
orch: orchard, orchrd
oval: ovl
opas: overpass
park: parks, prk
pkwy: parkway, parkways, parkwy, pkway, pkwys, pky
psge: passage
path: paths
pike: pikes
pne: pine
pnes: pines
pl: place
pln: plain
plns: plains
plz: plaza, plza
pt: point
pts: points
prt: port
prts: ports
pr: prairie, prr
radl: radial, rad, radiel
rnch: ranch, ranches, rnchs
rpd: rapid
rpds: rapids
rst: rest
rdg: ridge, rdge
rdgs: ridges
riv: river, rvr, rivr
rd: road
rds: roads
rte: route, rt
shl: shoal
shls: shoals
shr: shore, shoar
shrs: shores, shoars
skwy: skyway
spg: spring, spng, sprng
spgs: springs, spngs, sprngs
spur: spurs
sq: square, sqr, sqre, squ
sqs: squares, sqrs
sta: station, statn, stn
stra: stravenue, strav, straven, stravn, strvn, strvnue
strm: stream, streme
st: street, str, strt, saint
sts: streets
smt: summit, sumit, sumitt
ter: terrace, terr
trwy: throughway
trce: trace, traces
trak: track, tracks, trk, trks
trfy: trafficway
trl: trail, trails, trls
tunl: tunnel, tunel, tunls, tunnels, tunnl
tpke: turnpike, trnpk, turnpk, tpk
upas: underpass
un: union
uns: unions
vly: valley, vally, vlly
vlys: valleys
via: viaduct, vdct, viadct
vw: view
vws: views
vlg: village, vill, villag, villg, villiage
vlgs: villages
vl: ville
vis: vista, vist, vst, vsta
walk: walks
wl: well
wls: wells
`;

/** Parts of a building, and boxes and roads with numbers. Sainte and suite are both abbreviated as ste. */
export const DESIGNATORS = `
unit: apartment, apt, apmt, appt
ste: suite, sainte
rm: room
spc: space
trlr: trailer
pmb: private mailbox, private mail box
bsmt: basement
bldg: building, bld
dept: department
fl: floor, flr
frnt: front
hngr: hangar, hanger
lbby: lobby
lowr: lower
ofc: office
ph: penthouse
uppr: upper
box: po box, p o box, pob, pobox, post office box, po drawer, drawer, lockbox
rr: rural route, r r, rfd
hc: highway contract
hwy: us highway, us route, united states highway, united states route
sr: state road, state route, state highway
cr: county road, co rd, cty rd
i: interstate, ih
jr: junior
sr: senior
no: nr, number
`;

/** Numbers and ordinals as words. */
export const NUMBERS = `
1: one
2: two
3: three
4: four
5: five
6: six
7: seven
8: eight
9: nine
10: ten
11: eleven
12: twelve
1st: first
2nd: second
3rd: third
4th: fourth
5th: fifth
6th: sixth
7th: seventh
8th: eighth
9th: ninth
10th: tenth
11th: eleventh
12th: twelfth
13th: thirteenth
14th: fourteenth
15th: fifteenth
16th: sixteenth
17th: seventeenth
18th: eighteenth
19th: nineteenth
20th: twentieth
30th: thirtieth
40th: fortieth
50th: fiftieth
60th: sixtieth
70th: seventieth
80th: eightieth
90th: ninetieth
100th: hundredth
`;
