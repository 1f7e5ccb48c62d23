/** Words that French and English passwords are made of, in lower case and without accents. The digits and signs around them are ignored. */
export const commonPasswordWords: ReadonlySet<string> = new Set(
  `
  aaaa abc abcd abcdef access account admin adminadmin administrateur administrator alexandre allezlesbleus
  allezlom amour andrew android anthony antoine aout apple april asdf asdfgh asdfghjkl
  ashley august aurelie automne autumn avril azerty azertyazerty azertyuiop baseball basketball batman
  bebe bienvenue bonjour bonsoir bordeaux buster camembert camille caramel caroline catherine celine
  changeme changemoi changezmoi charlie charlotte chaton cheri cherie chocolat chocolate chouchou christophe
  citroen client clients coeur commercial commerciaux company compte computer computeradmin connard connexion
  cookie corvette coucou daniel december decembre default demo demonstration dieu dimanche doudou
  dragon dragonball egalite emilie enfant entreprise etoile facebook famille february ferrari fevrier
  filleul filleuls flower foot football fortnite francais france fraternite frederic freedom friday
  fromage fuckyou ginger goodbye google guest guillaume harley harrypotter hello hellohello helloworld
  hiver hockey hunter iloveyou instagram internet invite iphone isabelle january janvier jennifer
  jessica jesuisjesus jesus jesuschrist jetadore jetaime jeudi jordan joshua juillet juin julien
  july june killer lapin laurent lemotdepasse letmein liberte lille linkedin login loulou
  loveyou lundi lyon maison maman mamanpapa mamour march mardi marine mars marseille
  martine master matrix matthew maxime mdp mercedes mercredi merde michael michelle microsoft
  minecraft minou monamour monange moncoeur moncoeurs moncompte monday monkey monmotdepasse motdepass motdepasse
  motdepassemotdepasse mustang nantes napoleon naruto nathalie netflix nicolas nicole nintendo nothing nouveaumotdepasse
  november novembre nutella october octobre olivier olympique om ordinateur papa papamaman paris
  parissaintgermain parrain parrainage parrainages pascal passw password passwordpassword passwort patrick pauline pepper
  peugeot philippe playstation pokemon porsche princess princesse printemps provisoire psg putain qsdfgh
  qsdfghjklm qwerty qwertyqwerty qwertyuiop qwertz ranger renault republique robert root salope salut
  samedi samsung sandrine saturday sebastien secret september septembre shadow snapchat soccer societe
  soleil spiderman spring starwars stephane strasbourg summer sunday sunshine superman supersecret temporaire
  temporary test testing testtest thomas thursday tigrou tiktok toor topsecret toulouse toutou
  trustno trustnoone tuesday twitter user utilisateur valerie vanille vendredi veronique vincent virginie
  vivelafrance wednesday welcome whatever whatsapp windows winter wxcvbn xbox yamaha youtube zxcvbn
  zxcvbnm
`
    .trim()
    .split(/\s+/u),
);
