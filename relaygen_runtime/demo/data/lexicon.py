"""The wide word lists: what names, values and descriptions of tools and objects are made of.

Owns: words, so many that a model can't learn their combinations by heart. Refuses: sentences, and
made-up words (`wording`).
"""

from __future__ import annotations


def _words(text: str, separator: str | None = None) -> tuple[str, ...]:
    return tuple(text.split(separator))


VERBS = _words(
    "get set find list add make send load open read count check create delete update fetch run start stop book "
    "search look compute convert show call store save write copy move merge split sort filter rank score grade "
    "measure track follow watch scan parse format render draw paint print publish post share invite cancel confirm "
    "approve reject order buy sell rent pay refund charge bill quote estimate predict guess plan schedule remind "
    "notify alert warn report summarize translate spell rewrite shorten expand explain describe compare match "
    "verify validate test inspect review audit resolve assign claim lock unlock enable disable reset restart "
    "archive restore import export upload download install remove replace rename tag label classify detect extract "
    "collect combine transform encode decode encrypt roll flip pick choose shuffle query lookup retrieve register "
    "subscribe join leave visit clean"
)
NOUNS = _words(
    "item user order price mail file room ticket task time note score color value code report flight city record "
    "customer table image song alarm light secret account address agent album animal answer app area article asset "
    "author backup badge balance bank basket battery bike bill bird block board boat bonus book bottle branch "
    "bridge budget bug building bus cable cache calendar camera campaign car card cargo cart case chapter chart "
    "chat check choice class client clock cloud club coach coin comment company contact contract copy count "
    "country coupon course crew currency data date deadline deal delivery desk device diagram diet discount "
    "distance district doctor document door draft drink driver duty email employee engine entry error event exam "
    "expense fact factor farm fee field film fine flag fleet floor folder food forest form frame friend fruit fuel "
    "game garden gate gift goal grade grant graph group guest guide habit harbor height history hobby holiday home "
    "hotel hour house idea index insurance interest invoice island issue job journal journey key kitchen lab lake "
    "language lead lease lecture ledger lesson letter level library license limit line link loan lock log lunch "
    "machine magazine mailbox manager map market match meal measure medal meeting member memory menu message meter "
    "method model module month motor mountain movie museum name network news node number object offer office "
    "option outage owner package page paper parcel park part partner passage password path patient payment permit "
    "person phone photo phrase picture pipeline place plan planet plant player poem point policy pool port "
    "portfolio position poster power printer prize problem process product profile program project proof property "
    "pump queue quiz quota rate rating recipe region release reminder request resource result review reward ring "
    "risk river road robot role roof rule salary sale sample scene schedule school season seat sector sensor "
    "server service session shape shelf shift ship shop signal site size skill slot snapshot source speed sport "
    "stadium staff stage stamp station statement stock storage store story stream street student subject survey "
    "symbol system tag tank target tariff tax team temperature template theme theory thread tide timer title token "
    "tool topic tour tower town track trade traffic train tree trend trip truck unit vacation valve vehicle vendor "
    "venue version video village visa voice volume vote voucher wage wall warehouse warning water wave wheel "
    "window winner wire word worker year zone"
)
ADJECTIVES = _words(
    "red blue green small large early late quiet purple orange happy simple silver golden new old open closed "
    "local global public private daily weekly monthly annual total average best worst latest next last first "
    "second main extra spare free busy cheap fast slow heavy long short wide deep high low cold warm fresh dry wet "
    "dark bright soft hard smooth strong weak safe secure secret hidden lost final initial current former active "
    "idle broken clean full empty double single random fixed common rare famous strange gentle proud brave calm "
    "clever curious eager fair fancy funny grand great honest humble kind lazy lively lucky modern neat nice noble "
    "odd plain polite quick"
)
PARAMETERS = _words(
    "name id city query amount value text count input x y a b c n key level date title size color first second "
    "unit location topic number language start end limit offset page sort order by to of source target path url "
    "content body subject category tags status priority reason comment format mode width height length weight "
    "speed age price quantity currency country street zip email phone owner author user person place item product "
    "code label kind type style tone message recipient sender minutes hours days year month week from_date to_date "
    "min max threshold ratio question answer term word sentence paragraph note description summary details data "
    "rate index position depth"
)
FIRST_NAMES = _words(
    "Ana Ben Carla David Farid Greta Hugo Ines Jonas Kemal Lena Mara Nils Olga Pavel Rosa Sam Tara Umar Vera Wim "
    "Yara Zoe Aisha Akira Alma Amara Anton Arjun Astrid Beatriz Boris Bruno Camille Celia Chen Clara Cyrus Dalia "
    "Daniel Diego Dina Edith Eduardo Elena Emil Esther Fatima Felix Fiona Freya Gabriel Gideon Gloria Hana Hassan "
    "Helen Henrik Ida Igor Irene Isaac Ivan Jamal Jana Jin Joan Jorge Julia Kai Karin Katya Keiko Lars Leila Leo "
    "Linus Lucia Magnus Malik Marta Max Mei Milan Mina Miriam Nadia Naomi Nikos Nora Omar Oscar Paula Petra Priya "
    "Quentin Rafael Ravi Rita Ruth Saida Sandra Sergei Silvia Simon Sofia Stefan Sven Tamar Tariq Theo Tomas Ulla "
    "Ursula Viktor Wanda Xavier Yusuf Zara Željko Łukasz Çağla Øyvind José Zoë Renée Søren Jürgen"
)
SURNAMES = _words(
    "Abbott Adler Alvarez Bauer Becker Berg Blum Bose Brandt Brook Calder Campos Castro Chang Cole Costa Cruz Dahl "
    "Das Dietz Doyle Duarte Eklund Engel Falk Farrow Ferrari Fischer Flores Frost Fuchs Gallo Garcia Ghosh Gruber "
    "Haas Hansen Hart Hayashi Hill Hoang Horvat Huber Ito Ivanov Jansen Jung Kaplan Keller Khan Kim Klein Kovacs "
    "Kumar Lang Larsen Lee Lindqvist Lopez Lund Maier Marino Mehta Moreau Moser Nagy Nakamura Novak Ochoa Okafor "
    "Olsen Park Patel Perez Petrov Popov Quist Ramos Reyes Ricci Rossi Sato Schmidt Silva Singh Sokolov Stone "
    "Suzuki Takeda Tanaka Torres Ueda Vargas Vogel Wagner Weiss Wolf Yamada Yilmaz Zhang Ziegler O'Neill Núñez "
    "Müller Šimić"
)
CITIES = _words(
    "Paris|Rome|Oslo|Lima|Cairo|Tokyo|Madrid|Vienna|Berlin|Quito|Delhi|Lagos|Seoul|Athens|London|Zürich|São Paulo|"
    "München|北京|東京|Москва|Accra|Amsterdam|Ankara|Austin|Baku|Bamako|Bangkok|Basel|Beirut|Bergen|Bern|Bilbao|Bogotá|"
    "Bremen|Bristol|Brno|Bruges|Bucharest|Calgary|Cape Town|Cardiff|Chicago|Cork|Cusco|Dakar|Dallas|Denver|Doha|"
    "Dublin|Fez|Florence|Galway|Geneva|Ghent|Graz|Hamburg|Hanoi|Havana|Helsinki|Hong Kong|Istanbul|Jakarta|Kazan|"
    "Kobe|Kyiv|Kyoto|La Paz|Leeds|Lisbon|Los Angeles|Lyon|Malmö|Manila|Medellín|Miami|Milan|Montréal|Nairobi|"
    "Naples|New Delhi|New Orleans|Nice|Odessa|Osaka|Ottawa|Perth|Porto|Prague|Quebec|Reykjavik|Riga|Rio de Janeiro|"
    "Salt Lake City|Salzburg|San Diego|San José|Santa Fe|Seattle|Sofia|Split|St. Gallen|Sydney|Tallinn|Tampere|"
    "Tbilisi|Tel Aviv|Toronto|Turin|Uppsala|Valencia|Vilnius|Warsaw|Wellington|York|Zagreb",
    "|",
)
COUNTRIES = _words(
    "France|Italy|Norway|Peru|Egypt|Japan|Spain|Austria|Germany|Ecuador|India|Nigeria|Korea|Greece|Brazil|China|"
    "Ghana|Turkey|Mali|Chile|Canada|Kenya|Poland|Latvia|Portugal|Mexico|Cuba|Iceland|Morocco|Senegal|"
    "the Netherlands|Sweden",
    "|",
)
JOBS = _words(
    "baker teacher nurse pilot farmer lawyer painter plumber writer singer driver doctor cook tailor chemist "
    "engineer librarian carpenter gardener sailor clerk dancer judge miner potter welder actor barber dentist "
    "jeweler"
)
FIRM_ENDS = _words("Ltd|Inc.|GmbH|& Sons|Group|Works|Co.|AG|Partners|Labs|Trading|Foods|Bros.|S.A.|Holdings", "|")
MONTHS = _words("January February March April May June July August September October November December")
LANGUAGES = _words(
    "English French German Spanish Italian Polish Turkish Hindi Arabic Korean Japanese Chinese Greek Dutch Danish Latin"
)
COLORS = _words("red blue green yellow black white brown pink gray violet teal amber crimson ivory")
