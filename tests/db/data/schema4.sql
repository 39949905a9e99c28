PRAGMA application_id = 1836344422;
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0004');
CREATE TABLE books (
	id INTEGER NOT NULL, 
	identity VARCHAR(64) NOT NULL, 
	name VARCHAR NOT NULL, 
	source VARCHAR NOT NULL, 
	lines INTEGER NOT NULL, 
	CONSTRAINT pk_books PRIMARY KEY (id), 
	CONSTRAINT uq_books_identity UNIQUE (identity)
);
INSERT INTO "books" VALUES(1,'3777c703ad8d675a','two','two.epd',2);
CREATE TABLE end_reasons (
	id INTEGER NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_end_reasons PRIMARY KEY (id), 
	CONSTRAINT uq_end_reasons_name UNIQUE (name)
);
INSERT INTO "end_reasons" VALUES(1,'max-length');
INSERT INTO "end_reasons" VALUES(2,'checkmate');
INSERT INTO "end_reasons" VALUES(3,'unknown');
CREATE TABLE event_players (
	event_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	label VARCHAR NOT NULL, 
	variant_id INTEGER NOT NULL, 
	CONSTRAINT pk_event_players PRIMARY KEY (event_id, position), 
	CONSTRAINT fk_event_players_event_id FOREIGN KEY(event_id) REFERENCES events (id), 
	CONSTRAINT fk_event_players_variant_id FOREIGN KEY(variant_id) REFERENCES variants (id), 
	CONSTRAINT uq_event_players_event_id_label UNIQUE (event_id, label)
);
INSERT INTO "event_players" VALUES(1,0,'mtdf',1);
INSERT INTO "event_players" VALUES(1,1,'pvs',2);
INSERT INTO "event_players" VALUES(2,0,'mtdf',1);
INSERT INTO "event_players" VALUES(2,1,'pvs',2);
INSERT INTO "event_players" VALUES(3,0,'Ann',3);
INSERT INTO "event_players" VALUES(3,1,'Bob',4);
INSERT INTO "event_players" VALUES(3,2,'Cid',5);
INSERT INTO "event_players" VALUES(4,0,'mtdf',1);
INSERT INTO "event_players" VALUES(4,1,'#1',9);
INSERT INTO "event_players" VALUES(4,2,'#2',10);
CREATE TABLE events (
	id INTEGER NOT NULL, 
	"key" VARCHAR(16) NOT NULL, 
	name VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	status VARCHAR NOT NULL, 
	settings JSON NOT NULL, 
	seed BIGINT NOT NULL, 
	book_id INTEGER, 
	pairs_planned INTEGER NOT NULL, 
	created_ms BIGINT NOT NULL, 
	started_ms BIGINT, 
	ended_ms BIGINT, 
	provenance_id INTEGER NOT NULL, 
	CONSTRAINT pk_events PRIMARY KEY (id), 
	CONSTRAINT fk_events_book_id FOREIGN KEY(book_id) REFERENCES books (id), 
	CONSTRAINT fk_events_provenance_id FOREIGN KEY(provenance_id) REFERENCES provenance (id), 
	CONSTRAINT uq_events_key UNIQUE ("key")
);
INSERT INTO "events" VALUES(1,'r434','','match','done','{"version":1,"kind":"match","players":[{"label":"mtdf","id":"2b0d6ae78d4a8963","spelling":"mtdf","driver":"mtdf","effective":{"guess":"parity","convergence":"growth","hash":16,"eval":"full","grain":1,"quiescence":true,"null_move":true,"null_move_reduction":3,"null_move_slope":4,"null_move_verification":8,"reverse_futility":80,"razoring":250,"futility":100,"late_move_pruning":4,"see_pruning":60,"spare_checks":true,"delta_pruning":150,"late_move_reductions":true,"history_reduction":2,"internal_reduction":4,"check_extension":true,"singular_extension":7,"quiescence_table":true,"counter_moves":true,"continuation_history":true,"capture_history":true}},{"label":"pvs","id":"c8c042aa6c4772b3","spelling":"pvs","driver":"pvs","effective":{"window":25,"hash":16,"eval":"full","grain":1,"quiescence":true,"null_move":true,"null_move_reduction":3,"null_move_slope":4,"null_move_verification":8,"reverse_futility":80,"razoring":250,"futility":100,"late_move_pruning":4,"see_pruning":60,"spare_checks":true,"delta_pruning":150,"late_move_reductions":true,"history_reduction":2,"internal_reduction":4,"check_extension":true,"singular_extension":7,"quiescence_table":true,"counter_moves":true,"continuation_history":true,"capture_history":true}}],"heroes":1,"pairs":2,"limit":{"nodes":50,"depth":null,"movetime_ms":null,"base_ms":null,"inc_ms":0},"book":{"id":"3777c703ad8d675a","name":"two","source":"two.epd","lines":2,"order":"random","start":1,"repeat":false},"seed":5,"adjudication":{"max_plies":30,"draw":{"plies":8,"cp":8,"from_move":40},"resign":{"plies":4,"cp":600,"agreement":"both"}},"time_margin_ms":200,"name":""}',5,1,2,1795314982125,1795314982189,1795314984150,1);
INSERT INTO "events" VALUES(2,'r2dd','','match','done','{"version":1,"kind":"match","players":[{"label":"mtdf","id":"2b0d6ae78d4a8963","spelling":"mtdf","driver":"mtdf","effective":{"guess":"parity","convergence":"growth","hash":16,"eval":"full","grain":1,"quiescence":true,"null_move":true,"null_move_reduction":3,"null_move_slope":4,"null_move_verification":8,"reverse_futility":80,"razoring":250,"futility":100,"late_move_pruning":4,"see_pruning":60,"spare_checks":true,"delta_pruning":150,"late_move_reductions":true,"history_reduction":2,"internal_reduction":4,"check_extension":true,"singular_extension":7,"quiescence_table":true,"counter_moves":true,"continuation_history":true,"capture_history":true}},{"label":"pvs","id":"c8c042aa6c4772b3","spelling":"pvs","driver":"pvs","effective":{"window":25,"hash":16,"eval":"full","grain":1,"quiescence":true,"null_move":true,"null_move_reduction":3,"null_move_slope":4,"null_move_verification":8,"reverse_futility":80,"razoring":250,"futility":100,"late_move_pruning":4,"see_pruning":60,"spare_checks":true,"delta_pruning":150,"late_move_reductions":true,"history_reduction":2,"internal_reduction":4,"check_extension":true,"singular_extension":7,"quiescence_table":true,"counter_moves":true,"continuation_history":true,"capture_history":true}}],"heroes":1,"pairs":2,"limit":{"nodes":50,"depth":null,"movetime_ms":null,"base_ms":null,"inc_ms":0},"book":{"id":"3777c703ad8d675a","name":"two","source":"two.epd","lines":2,"order":"random","start":1,"repeat":false},"seed":5,"adjudication":{"max_plies":30,"draw":{"plies":8,"cp":8,"from_move":40},"resign":{"plies":4,"cp":600,"agreement":"both"}},"time_margin_ms":200,"name":""}',5,1,2,1795314996000,1795314996077,1795314998997,1);
INSERT INTO "events" VALUES(3,'r57c','g.pgn','import','done','{"limit":{},"files":[{"file":"g.pgn","sha256":"4088f5ad4aeebc81e3626dfeba4903e86038a68e1310e488e3932de852eeebd9","games":2,"added":2,"known":0,"repeated":0,"bad":0,"headers_only":false}]}',0,NULL,2,1795315008444,1795315008505,1795315008625,2);
INSERT INTO "events" VALUES(4,'r4b1','grain','tuning','done','{"version":1,"kind":"tuning","players":[{"label":"mtdf","id":"2b0d6ae78d4a8963","spelling":"mtdf","driver":"mtdf","effective":{"guess":"parity","convergence":"growth","hash":16,"eval":"full","grain":1,"quiescence":true,"null_move":true,"null_move_reduction":3,"null_move_slope":4,"null_move_verification":8,"reverse_futility":80,"razoring":250,"futility":100,"late_move_pruning":4,"see_pruning":60,"spare_checks":true,"delta_pruning":150,"late_move_reductions":true,"history_reduction":2,"internal_reduction":4,"check_extension":true,"singular_extension":7,"quiescence_table":true,"counter_moves":true,"continuation_history":true,"capture_history":true}}],"heroes":1,"pairs":8,"limit":{"nodes":30,"depth":null,"movetime_ms":null,"base_ms":null,"inc_ms":0},"book":{"id":"3777c703ad8d675a","name":"two","source":"two.epd","lines":2,"order":"random","start":1,"repeat":true,"slice":"1/2"},"seed":1,"adjudication":{"max_plies":12,"draw":{"plies":8,"cp":8,"from_move":40},"resign":{"plies":4,"cp":600,"agreement":"both"}},"time_margin_ms":200,"name":"grain"}',1,1,8,1795315054374,1795315054586,1795315057529,1);
CREATE TABLE game_moves (
	game_id INTEGER NOT NULL, 
	moves_version SMALLINT NOT NULL, 
	moves BLOB NOT NULL, 
	search_version SMALLINT NOT NULL, 
	search_data BLOB NOT NULL, 
	CONSTRAINT pk_game_moves PRIMARY KEY (game_id), 
	CONSTRAINT fk_game_moves_game_id FOREIGN KEY(game_id) REFERENCES games (id)
);
INSERT INTO "game_moves" VALUES(1,1,X'F30846057E0B8104B90A0C05340B0804FD0A4508300AA10AB10A8401BC0FC202780E15097902A40AFB0C2A09330DE404490E4D07FA0C1309B2089B08',1,X'01488933B7305701423E532E191151314146465B3BDB9AE0106D9B76C694CD8C1D8CEB19910113233A3082802CA3038C46A1468E462646D38062ED8C1E756E4EC136D9EE0B419A409085918D918909C402D28CCC50C8B29BF11993FDF1D54C01335F30869D59C514FC77155344948181B58551B8B1D124C6801A5B77075B6FAF6200BCAC1F5F');
INSERT INTO "game_moves" VALUES(2,1,X'F30846057E0B8104B90A0C05340B0804FD0A4508300AA10AB10A8401BC0FC202780E15097902A40AFB0C2A09330DE404490E4D07FA0C1309B2089B08',1,X'01488933B7305701423E532E191161314146465B3BDB9AE0106D9B76C694CD8C1D8CEB19F1032320303672374A32322A31327236B200F25DED5D80FC048B641F26461064666401934C70C80C8606C6AA9D8CD666FAC61E16FAE5AA9A36063A867ADA0FEC6383CDFDCD9D2DFC02019E061700');
INSERT INTO "game_moves" VALUES(3,1,X'F308CB0434094605B90A8209750BE6023A0BDC08EC088104230B0503BD0884013E0D1207620A8A06BC0F9A0829080B082A084906A00A5908EA06D506',1,X'014889631390621313480BD7F3F452D4656358C1B89B710BE342C6058CF63CDE5E9E295A3ADA3A8C7881919191B58B7D8887518E915956AC7590A3918F9991459C1550D828D18891090A591899C190091906859B99F95BA7F899851B6B17045B79381BB531C658B9648658685B19A458030014A7183B');
INSERT INTO "game_moves" VALUES(4,1,X'F308CB04340946057D068A04D90A8209750B26053E0DC102BC0F0503B90A8401BA07CF055E054B05300ADC08F40843042B0D510C630754072A083107',1,X'014889631390629398C07894711E53A491AD0A8FA19C4D6096AF5F37635060C549C6538CEB198FB0B5B3FD6166C40B8C8C8C1C528D5E301999A7585B06045AF83A98141A550345FB984CAD838C2B981899189919398098098C41242B908488C4BB98BAA4987C62B437CF36B1B18C320A2AF40AB70F30D6353AC368671361DDC70800D9661E4E');
INSERT INTO "game_moves" VALUES(5,1,X'F30846057E0B8104B90A0C05340B0804FD0A4508300AA10AB10A8401BC0FC202780E15097902A40AFB0C2A09330DE404490E4D07FA0C1309B2089B08',1,X'01488933B7305701423E532E191151314146465B3BDB9AE0106D9B76C694CD8C1D8CEB19910113233A3082802CA3038C46A1468E462646D38062ED8C1E756E4EC136D9EE0B419A409085918D918909C402D28CCC50C8F23CFE1CABED6256FBAF8C564F182D6F33D9B8EBE859E85B469BEB4E60F4AAB2769C1E1F14155C0D003E301D76');
INSERT INTO "game_moves" VALUES(6,1,X'F30846057E0B8104B90A0C05340B0804FD0A4508300AA10AB10A8401BC0FC202780E15097902A40AFB0C2A09330DE404490E4D07FA0C1309B2089B08',1,X'01488933B7305701423E532E191161314146465B3BDB9AE0106D9B76C694CD8C1D8CEB19F1032320303672374A32322A31327236B200F25DED5D80FC048B641F26461064666401934C70C80C8626566A66AE9666267ED6462D8C9A460616FAC68686566ED6A63E468E8661EE007EB815D5');
INSERT INTO "game_moves" VALUES(7,1,X'F308CB0434094605B90A8209750BE6023A0BDC08EC088104230B0503BD0884013E0D1207620A8A06BC0F9A0829080B082A084906A00A5908EA06D506',1,X'014889631390621313480BD7F3F452D4656358C1B89B710BE342C6058CF63CDE5E9E295A3ADA3A8C7881919191B58B7D8887518E915956AC7590A3918F9991459C1550D828D18891090A591899C190091946F899D8FBD825F898261BEAE5455A39391B07B630B9B916BB5A99D8E91786020015EC1875');
INSERT INTO "game_moves" VALUES(8,1,X'F308CB04340946057D068A04D90A8209750B26053E0DC102BC0F0503B90A8401BA07CF055E054B05300ADC08F40843042B0D510C630754072A083107',1,X'014889631390629398C07894711E53A491AD0A8FA19C4D6096AF5F37635060C549C6538CEB198FB0B5B3FD6166C40B8C8C8C1C528D5E301999A7585B06045AF83A98141A550345FB984CAD838C2B981899189919398098098C41242B90848824395A382699FE67B4F08FD4B2B40E376E61F4308FB48E3234303ACA68611E64D8C60800F2CB1E22');
INSERT INTO "game_moves" VALUES(10,1,X'0C073409C309B90A85067E0B670D',0,X'');
INSERT INTO "game_moves" VALUES(11,1,X'F308CB0434094605B90A8209750BE6023A0BDC08EC088A06',1,X'01488963639062106348F3D6F3F662604402F286BAD67EF6E6EE691ADA1A4C50C00CC439CFAEB3DCE1FFB285B5FAF22D46475B03155969002C0D0C6C');
INSERT INTO "game_moves" VALUES(12,1,X'F308CB0423071307FB00C40034094605B90A81047E0B8506',1,X'0148896310609000C200063906364624A064A8A6A62EA7E26A6164E2C8CC04042C4CCC205A4E5D464A41505C5E564A4A0E0073FB045B');
INSERT INTO "game_moves" VALUES(13,1,X'F30881047E0B0804B90A0C05BA074D055E098E07A50B0603',1,X'01488933F75166E062B0F1D1F7F1F461440272FAFA8A462AE6EA36FAD1864C70C0CC646EAA69A8A6A0A369A4E7A40E00D0A506E0');
INSERT INTO "game_moves" VALUES(14,1,X'F3084605340B8209750BE602B90A0C052C0981042407D507',1,X'014889F3B6F0EE6164106190F296F3E665440272FA6AE6DAD6FAAA2A267AEB19991080CD585759434B5F514E4B53330300E28E0734');
INSERT INTO "game_moves" VALUES(15,1,X'F308CB0434094605B90A8209750BE6023A0BDC08EC088104',1,X'01488963E3936210E34B0BD673F592664402F286BAD67EF6E6EE695EDA664C50C0CCCCC46C64AEAEE366606A6E6BA8AC0100CC8C0736');
INSERT INTO "game_moves" VALUES(16,1,X'F308CB0434094605B90A8209750BE6023A0BDC08EC088104',1,X'014889631090619311480AD7F27453644402F286BAD67EF6E61E6939DA664C50C0CCC2C42CAD29A769ABA5676C63A7A80200D0820723');
INSERT INTO "game_moves" VALUES(17,1,X'F30846057E0B8104B90A0C05340B0804FD0A0503BC0F8401',1,X'01488933B730D702423E533E263E4624206760A06FACEEEE9ED4C2E8E7C20406CCCC2C2C4C4C99060B1975B5D5C34CB732969C64B40200F83D0975');
INSERT INTO "game_moves" VALUES(18,1,X'F30846057E0B8104B90A0C05340B0804300A0503FD0A8401',1,X'01488933B7305701423E73017327462420A76FA06FACAE91A51167EBCC04012C4CCC4C4C6606BA5A5AEAAA4E6AE606C600D6800725');
INSERT INTO "game_moves" VALUES(19,1,X'F308CB0434094605B90A8209750BE6023A0BDC08EC088A06',1,X'01488963639062106348F3D6F3F662604402F286BAD67EF6E6EE691ADA1A4C50C00CC4A626DA5AAE3A96C6F6F2CA7200BB6006AE');
INSERT INTO "game_moves" VALUES(20,1,X'F308CB0423071307FB00C40034094605B90A81047E0B8506',1,X'0148896310609000C200063906364624A064A8A6A62EA7E26A6164E2C8CC04042C4CCC20DADC5D514D454A524F495DD51000783F04F3');
INSERT INTO "game_moves" VALUES(21,1,X'F30881047E0B0804B90A0C05BA074D055E098E07A50B0603',1,X'01488933F75166E062B0F1D1F7F1F461440272FAFA8A462AE6EA36FAD1864C70C0CCA49622AFA822A628A12AAB270900CF60067C');
INSERT INTO "game_moves" VALUES(22,1,X'F3084605340B8209750BE602B90A0C052C0981042407D507',1,X'014889F3B6F0EE6164106190F296F3E665440272FA6AE6DAD6FAAA2A267AEB199910804D584A44464A515444444D2D0C00DD660684');
CREATE TABLE games (
	id INTEGER NOT NULL, 
	event_id INTEGER NOT NULL, 
	pairing INTEGER NOT NULL, 
	pair INTEGER NOT NULL, 
	game SMALLINT NOT NULL, 
	white_player INTEGER NOT NULL, 
	black_player INTEGER NOT NULL, 
	white_score SMALLINT NOT NULL, 
	repeats_id INTEGER, 
	end_reason_id INTEGER NOT NULL, 
	plies INTEGER NOT NULL, 
	opening_id INTEGER, 
	start_fen VARCHAR, 
	white_nodes BIGINT NOT NULL, 
	black_nodes BIGINT NOT NULL, 
	white_cpu_us BIGINT NOT NULL, 
	black_cpu_us BIGINT NOT NULL, 
	started_ms BIGINT, 
	ended_ms BIGINT, 
	provenance_id INTEGER NOT NULL, 
	load DOUBLE NOT NULL, 
	jobs INTEGER NOT NULL, 
	seed BIGINT NOT NULL, 
	game_key BLOB, 
	CONSTRAINT pk_games PRIMARY KEY (id), 
	CONSTRAINT ck_games_game CHECK (game IN (1, 2)), 
	CONSTRAINT ck_games_white_score CHECK (white_score IN (0, 1, 2)), 
	CONSTRAINT fk_games_end_reason_id FOREIGN KEY(end_reason_id) REFERENCES end_reasons (id), 
	CONSTRAINT fk_games_event_id_black_player FOREIGN KEY(event_id, black_player) REFERENCES event_players (event_id, position), 
	CONSTRAINT fk_games_event_id_pairing_pair FOREIGN KEY(event_id, pairing, pair) REFERENCES pairs (event_id, pairing, pair), 
	CONSTRAINT fk_games_event_id_white_player FOREIGN KEY(event_id, white_player) REFERENCES event_players (event_id, position), 
	CONSTRAINT fk_games_opening_id FOREIGN KEY(opening_id) REFERENCES openings (id), 
	CONSTRAINT fk_games_provenance_id FOREIGN KEY(provenance_id) REFERENCES provenance (id), 
	CONSTRAINT fk_games_repeats_id FOREIGN KEY(repeats_id) REFERENCES games (id), 
	CONSTRAINT uq_games_event_id_pairing_pair_game UNIQUE (event_id, pairing, pair, game)
);
INSERT INTO "games" VALUES(1,1,0,0,1,0,1,1,NULL,1,30,2,NULL,1343,958,41008,1311,1795314983815,1795314983965,1,11.8466796875,1,827042069788005207,X'9B58A53DCA6EC425F49DEE468B10835A');
INSERT INTO "games" VALUES(2,1,0,0,2,1,0,1,NULL,1,30,2,NULL,861,1023,986,1003,1795314983965,1795314983976,1,11.8466796875,1,827042069788005207,X'92A8849029DC7210573D172FB6F1D88A');
INSERT INTO "games" VALUES(3,1,0,1,1,0,1,1,NULL,1,30,1,NULL,949,1008,1044,1227,1795314983999,1795314984012,1,11.8466796875,1,2743608828356968886,X'58817FFC0EB867D0FB393EBE8C4078B9');
INSERT INTO "games" VALUES(4,1,0,1,2,1,0,1,NULL,1,30,1,NULL,986,1541,1154,1400,1795314984012,1795314984036,1,11.8466796875,1,2743608828356968886,X'012989E6BAB0B7E64C7966912DE58CC3');
INSERT INTO "games" VALUES(5,2,0,0,1,0,1,1,1,1,30,2,NULL,1343,958,3037,1289,1795314998245,1795314998279,1,11.57861328125,1,827042069788005207,X'9B58A53DCA6EC425F49DEE468B10835A');
INSERT INTO "games" VALUES(6,2,0,0,2,1,0,1,2,1,30,2,NULL,861,1023,946,905,1795314998280,1795314998282,1,11.57861328125,1,827042069788005207,X'92A8849029DC7210573D172FB6F1D88A');
INSERT INTO "games" VALUES(7,2,0,1,1,0,1,1,3,1,30,1,NULL,949,1008,1252,1190,1795314998311,1795314998328,1,11.57861328125,1,2743608828356968886,X'58817FFC0EB867D0FB393EBE8C4078B9');
INSERT INTO "games" VALUES(8,2,0,1,2,1,0,1,4,1,30,1,NULL,986,1541,1121,1388,1795314998328,1795314998355,1,11.57861328125,1,2743608828356968886,X'012989E6BAB0B7E64C7966912DE58CC3');
INSERT INTO "games" VALUES(9,3,1,0,1,1,2,1,NULL,3,0,NULL,NULL,0,0,0,0,NULL,NULL,3,0.0,0,0,X'8E63E2239442C4C57F4F15878ABFD2F9');
INSERT INTO "games" VALUES(10,3,0,0,1,0,1,2,NULL,2,7,NULL,NULL,0,0,0,0,NULL,NULL,3,0.0,0,0,X'793A401217A64CDA5022B15631020D63');
INSERT INTO "games" VALUES(11,4,0,0,1,1,0,1,NULL,1,12,1,NULL,322,354,49397,504,1795315056486,1795315056692,1,10.439453125,1,5054993421358930511,X'75BA8CD9C3695FEC43635368103ACAF1');
INSERT INTO "games" VALUES(12,4,0,0,2,0,1,1,NULL,1,12,1,NULL,301,255,179,177,1795315056692,1795315056693,1,10.439453125,1,5054993421358930511,X'B01C92D0FC4912C50800AC0341051092');
INSERT INTO "games" VALUES(13,4,0,1,1,1,0,1,NULL,1,12,2,NULL,251,333,274,310,1795315056711,1795315056712,1,10.439453125,1,2111657421715239376,X'899B04550D48E976727295A2BFABF6A2');
INSERT INTO "games" VALUES(14,4,0,1,2,0,1,1,NULL,1,12,2,NULL,425,240,319,275,1795315056712,1795315056731,1,10.439453125,1,2111657421715239376,X'94B44B955922CC0C047678172816DBB9');
INSERT INTO "games" VALUES(15,4,1,0,1,2,0,1,NULL,1,12,1,NULL,370,354,302,319,1795315056907,1795315056909,1,10.439453125,1,3611321932484087120,X'1D55506099686FAC1C8DB68F1849F5D0');
INSERT INTO "games" VALUES(16,4,1,0,2,0,2,1,NULL,1,12,1,NULL,405,354,284,268,1795315056909,1795315056910,1,10.439453125,1,3611321932484087120,X'DC430D1277AA89A3C59E8EC9D2FE1080');
INSERT INTO "games" VALUES(17,4,1,1,1,2,0,1,NULL,1,12,2,NULL,405,376,378,804,1795315056947,1795315056960,1,10.439453125,1,4319568393611375909,X'F550E7E7FF54C051906AF2B35C308339');
INSERT INTO "games" VALUES(18,4,1,1,2,0,2,1,NULL,1,12,2,NULL,400,270,317,298,1795315056960,1795315056996,1,10.439453125,1,4319568393611375909,X'E389BAA328CAA6B642CA3CFAF9E68553');
INSERT INTO "games" VALUES(19,4,2,2,1,1,0,1,11,1,12,1,NULL,322,354,259,334,1795315057367,1795315057368,1,10.439453125,1,4691437357716086649,X'75BA8CD9C3695FEC43635368103ACAF1');
INSERT INTO "games" VALUES(20,4,2,2,2,0,1,1,12,1,12,1,NULL,301,255,280,250,1795315057369,1795315057383,1,10.439453125,1,4691437357716086649,X'B01C92D0FC4912C50800AC0341051092');
INSERT INTO "games" VALUES(21,4,2,3,1,1,0,1,13,1,12,2,NULL,251,333,243,241,1795315057423,1795315057424,1,10.439453125,1,8192063144075476187,X'899B04550D48E976727295A2BFABF6A2');
INSERT INTO "games" VALUES(22,4,2,3,2,0,1,1,14,1,12,2,NULL,425,240,240,157,1795315057425,1795315057435,1,10.439453125,1,8192063144075476187,X'94B44B955922CC0C047678172816DBB9');
CREATE TABLE lab_engines (
	run_id INTEGER NOT NULL, 
	engine INTEGER NOT NULL, 
	label VARCHAR NOT NULL, 
	variant_id INTEGER NOT NULL, 
	baseline INTEGER NOT NULL, 
	parameter VARCHAR, 
	value VARCHAR, 
	CONSTRAINT pk_lab_engines PRIMARY KEY (run_id, engine), 
	CONSTRAINT fk_lab_engines_run_id FOREIGN KEY(run_id) REFERENCES lab_runs (id), 
	CONSTRAINT fk_lab_engines_variant_id FOREIGN KEY(variant_id) REFERENCES variants (id)
);
INSERT INTO "lab_engines" VALUES(1,0,'pvs:window=0,entries=1024,eval=pst',6,0,NULL,NULL);
INSERT INTO "lab_engines" VALUES(1,1,'pvs:entries=1024,eval=pst',7,0,NULL,NULL);
INSERT INTO "lab_engines" VALUES(1,2,'bns:entries=1024,eval=pst',8,0,NULL,NULL);
CREATE TABLE lab_positions (
	run_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	label VARCHAR NOT NULL, 
	fen VARCHAR NOT NULL, 
	CONSTRAINT pk_lab_positions PRIMARY KEY (run_id, position), 
	CONSTRAINT fk_lab_positions_run_id FOREIGN KEY(run_id) REFERENCES lab_runs (id)
);
INSERT INTO "lab_positions" VALUES(1,0,'lab-01','rnbqkb1r/p1p1p1pp/5n2/1p1p4/3PP1p1/2B5/PPP2PBP/RN1QK1NR w KQkq - 0 1');
INSERT INTO "lab_positions" VALUES(1,1,'lab-31','4r1k1/1p2np2/p3bBp1/3p4/R4PP1/P6P/r4N2/4R1K1 b - - 0 1');
CREATE TABLE lab_runs (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	status VARCHAR NOT NULL, 
	settings JSON NOT NULL, 
	created_ms BIGINT NOT NULL, 
	started_ms BIGINT, 
	ended_ms BIGINT, 
	provenance_id INTEGER NOT NULL, 
	CONSTRAINT pk_lab_runs PRIMARY KEY (id), 
	CONSTRAINT fk_lab_runs_provenance_id FOREIGN KEY(provenance_id) REFERENCES provenance (id), 
	CONSTRAINT uq_lab_runs_name UNIQUE (name)
);
INSERT INTO "lab_runs" VALUES(1,'small','compare','done','{"suite":"lab-60","suite_id":"a79b72a67c1e1876","depths":[2]}',1795315016226,1795315016286,1795315018080,1);
CREATE TABLE lab_searches (
	run_id INTEGER NOT NULL, 
	engine INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	depth INTEGER NOT NULL, 
	value INTEGER NOT NULL, 
	move VARCHAR NOT NULL, 
	interior BIGINT NOT NULL, 
	leaves BIGINT NOT NULL, 
	quiescence BIGINT NOT NULL, 
	passes INTEGER NOT NULL, 
	cpu_us BIGINT NOT NULL, 
	iterations JSON NOT NULL, 
	searched_ms BIGINT NOT NULL, 
	CONSTRAINT pk_lab_searches PRIMARY KEY (run_id, engine, position), 
	CONSTRAINT fk_lab_searches_run_id FOREIGN KEY(run_id) REFERENCES lab_runs (id), 
	CONSTRAINT fk_lab_searches_run_id_engine FOREIGN KEY(run_id, engine) REFERENCES lab_engines (run_id, engine), 
	CONSTRAINT fk_lab_searches_run_id_position FOREIGN KEY(run_id, position) REFERENCES lab_positions (run_id, position)
);
INSERT INTO "lab_searches" VALUES(1,0,0,2,-40,'b1d2',32,118,215,2,543,'[[1,0,"b1d2",null,1,32,39,0,0,0,377,null,[[-32700,32700,0,72]]],[2,-40,"b1d2",null,31,86,176,30,0,0,184,null,[[-32700,32700,-40,293]]]]',1795315017174);
INSERT INTO "lab_searches" VALUES(1,0,1,2,135,'a2d2',29,226,72,2,334,'[[1,154,"e7c6",null,1,28,14,0,0,0,185,null,[[-32700,32700,154,43]]],[2,135,"a2d2",null,28,198,58,27,1,0,160,null,[[-32700,32700,135,284]]]]',1795315017441);
INSERT INTO "lab_searches" VALUES(1,1,0,2,-40,'b1d2',63,127,238,3,347,'[[1,0,"b1d2",null,1,32,39,0,0,0,171,null,[[-32700,32700,0,72]]],[2,-40,"b1d2",null,62,95,199,60,30,24,191,null,[[-25,25,-26,183],[-100,25,-40,173]]]]',1795315017441);
INSERT INTO "lab_searches" VALUES(1,1,1,2,135,'a2d2',29,226,72,2,321,'[[1,154,"e7c6",null,1,28,14,0,0,0,182,null,[[-32700,32700,154,43]]],[2,135,"a2d2",null,28,198,58,27,1,0,150,null,[[129,179,135,284]]]]',1795315017441);
INSERT INTO "lab_searches" VALUES(1,2,0,2,-40,'e4d5',118,193,263,75,775,'[[1,0,"b1d2",-30,32,32,31,0,0,0,345,0,[[-31,-30,-40,3,"e4d5"],[-31,-30,-32,2,"a2a3"],[-31,-30,-32,2,"a2a4"],[-31,-30,-32,2,"b2b3"],[-31,-30,-34,2,"b2b4"],[-31,-30,-40,2,"f2f3"],[-31,-30,-32,2,"f2f4"],[-31,-30,-38,2,"h2h3"],[-31,-30,-42,2,"h2h4"],[-31,-30,-28,2,"e4e5"],[-31,-30,0,10,"b1d2"],[-31,-30,-36,6,"b1a3"],[-31,-30,-114,3,"g1e2"],[-31,-30,-240,6,"g1f3"],[-31,-30,-232,4,"g1h3"],[-31,-30,-62,2,"g2f1"],[-31,-30,-34,2,"g2f3"],[-31,-30,-42,2,"g2h3"],[-31,-30,-34,2,"c3d2"],[-31,-30,-34,2,"c3b4"],[-31,-30,-40,2,"c3a5"],[-31,-30,-38,2,"d1c1"],[-31,-30,-144,3,"d1d2"],[-31,-30,-49,10,"d1e2"],[-31,-30,-32,2,"d1d3"],[-31,-30,-31,2,"d1f3"],[-31,-30,-34,2,"e1f1"],[-31,-30,-56,2,"e1d2"],[-31,-30,-56,2,"e1e2"],[-31,-30,-821,4,"d1g4"],[0,1,-28,2,"e4e5"],[0,1,0,2,"b1d2"]]],[2,-40,"e4d5",0,86,161,232,43,13,0,433,-40,[[-1,0,-6,58,"b1d2"],[-1,0,-40,3,"e4d5"],[-1,0,-146,3,"a2a3"],[-1,0,-2,5,"a2a4"],[-1,0,-146,3,"b2b3"],[-1,0,-148,3,"b2b4"],[-1,0,-10,5,"f2f3"],[-1,0,-146,3,"f2f4"],[-1,0,-60,4,"h2h3"],[-1,0,-156,3,"h2h4"],[-1,0,-44,25,"e4e5"],[-1,0,-22,4,"b1a3"],[-1,0,-114,3,"g1e2"],[-1,0,-240,6,"g1f3"],[-1,0,-232,4,"g1h3"],[-1,0,-68,5,"g2f1"],[-1,0,-252,6,"g2f3"],[-1,0,-284,4,"g2h3"],[-1,0,-148,3,"c3d2"],[-1,0,-148,3,"c3b4"],[-1,0,-154,3,"c3a5"],[-1,0,-152,3,"d1c1"],[-1,0,-144,3,"d1d2"],[-1,0,-26,6,"d1e2"],[-1,0,-28,6,"d1d3"],[-1,0,-901,6,"d1f3"],[-1,0,-148,3,"e1f1"],[-1,0,-170,3,"e1d2"],[-1,0,-170,3,"e1e2"],[-1,0,-821,4,"d1g4"],[-3,-2,-32,7,"a2a4"],[-8,-7,-8,29,"b1d2"],[-12,-11,-40,14,"b1d2"],[-12,-11,-31,10,"f2f3"],[-30,-29,-36,6,"b1a3"],[-30,-29,-49,10,"d1e2"],[-30,-29,-49,10,"d1d3"],[-47,-46,-42,38,"b1d2"],[-47,-46,-40,33,"e4d5"],[-47,-46,-48,15,"a2a4"],[-47,-46,-104,11,"f2f3"],[-47,-46,-44,63,"e4e5"],[-47,-46,-52,40,"b1a3"]]]]',1795315018009);
INSERT INTO "lab_searches" VALUES(1,2,1,2,135,'a2d2',101,220,119,65,803,'[[1,154,"e7c6",145,29,29,16,0,0,0,427,154,[[144,145,27,3,"d5d4"],[144,145,45,3,"a6a5"],[144,145,34,3,"g6g5"],[144,145,42,3,"b7b5"],[144,145,144,2,"b7b6"],[144,145,-66,5,"e7f5"],[144,145,154,2,"e7c6"],[144,145,120,2,"e7c8"],[144,145,-78,5,"e6f5"],[144,145,139,2,"e6d7"],[144,145,122,2,"e6c8"],[144,145,136,2,"a2a1"],[144,145,-386,3,"a2b2"],[144,145,148,2,"a2c2"],[144,145,149,2,"a2d2"],[144,145,-388,3,"a2e2"],[144,145,131,2,"e8a8"],[144,145,134,2,"e8b8"],[144,145,141,2,"e8c8"],[144,145,-165,3,"e8d8"],[144,145,141,2,"e8f8"],[144,145,133,2,"g8h7"],[144,145,135,2,"g8f8"],[144,145,-114,3,"a2f2"],[144,145,-98,3,"e6g4"],[144,145,-290,3,"a2a3"],[154,155,154,2,"e7c6"],[154,155,148,2,"a2c2"],[154,155,149,2,"a2d2"]]],[2,135,"a2d2",154,72,191,103,36,10,0,383,135,[[153,154,150,3,"e7c6"],[153,154,27,3,"d5d4"],[153,154,45,3,"a6a5"],[153,154,34,3,"g6g5"],[153,154,42,3,"b7b5"],[153,154,39,3,"b7b6"],[153,154,-66,5,"e7f5"],[153,154,116,3,"e7c8"],[153,154,-78,5,"e6f5"],[153,154,135,92,"e6d7"],[153,154,-187,3,"e6c8"],[153,154,-366,3,"a2a1"],[153,154,-386,3,"a2b2"],[153,154,144,3,"a2c2"],[153,154,145,3,"a2d2"],[153,154,-388,3,"a2e2"],[153,154,-178,3,"e8a8"],[153,154,-175,3,"e8b8"],[153,154,-168,3,"e8c8"],[153,154,-165,3,"e8d8"],[153,154,-168,3,"e8f8"],[153,154,129,5,"g8h7"],[153,154,131,5,"g8f8"],[153,154,-114,3,"a2f2"],[153,154,-98,3,"e6g4"],[153,154,-290,3,"a2a3"],[149,150,142,15,"e7c6"],[143,144,136,4,"a2c2"],[143,144,137,4,"a2d2"],[138,139,134,8,"e7c6"],[129,130,134,45,"e7c6"],[129,130,129,22,"e6d7"],[129,130,128,5,"a2c2"],[129,130,135,46,"a2d2"],[129,130,115,4,"g8f8"],[135,136,135,38,"a2d2"]]]]',1795315018053);
CREATE TABLE openings (
	id INTEGER NOT NULL, 
	book_id INTEGER NOT NULL, 
	line INTEGER NOT NULL, 
	start_fen VARCHAR NOT NULL, 
	moves BLOB NOT NULL, 
	fen VARCHAR NOT NULL, 
	label VARCHAR NOT NULL, 
	CONSTRAINT pk_openings PRIMARY KEY (id), 
	CONSTRAINT fk_openings_book_id FOREIGN KEY(book_id) REFERENCES books (id), 
	CONSTRAINT uq_openings_book_id_line UNIQUE (book_id, line)
);
INSERT INTO "openings" VALUES(1,1,1,'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1',X'','rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1','e4');
INSERT INTO "openings" VALUES(2,1,2,'rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1',X'','rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1','d4');
CREATE TABLE pair_failures (
	event_id INTEGER NOT NULL, 
	pairing INTEGER NOT NULL, 
	pair INTEGER NOT NULL, 
	attempts INTEGER NOT NULL, 
	reason VARCHAR NOT NULL, 
	failed_ms BIGINT NOT NULL, 
	CONSTRAINT pk_pair_failures PRIMARY KEY (event_id, pairing, pair), 
	CONSTRAINT fk_pair_failures_event_id FOREIGN KEY(event_id) REFERENCES events (id)
);
CREATE TABLE pairings (
	event_id INTEGER NOT NULL, 
	pairing INTEGER NOT NULL, 
	first_player INTEGER NOT NULL, 
	second_player INTEGER NOT NULL, 
	CONSTRAINT pk_pairings PRIMARY KEY (event_id, pairing), 
	CONSTRAINT ck_pairings_order CHECK (first_player < second_player), 
	CONSTRAINT fk_pairings_event_id_first_player FOREIGN KEY(event_id, first_player) REFERENCES event_players (event_id, position), 
	CONSTRAINT fk_pairings_event_id_second_player FOREIGN KEY(event_id, second_player) REFERENCES event_players (event_id, position)
);
INSERT INTO "pairings" VALUES(1,0,0,1);
INSERT INTO "pairings" VALUES(2,0,0,1);
INSERT INTO "pairings" VALUES(3,0,0,1);
INSERT INTO "pairings" VALUES(3,1,1,2);
INSERT INTO "pairings" VALUES(4,0,0,1);
INSERT INTO "pairings" VALUES(4,1,0,2);
INSERT INTO "pairings" VALUES(4,2,0,1);
CREATE TABLE pairs (
	event_id INTEGER NOT NULL, 
	pairing INTEGER NOT NULL, 
	pair INTEGER NOT NULL, 
	first_is_white BOOLEAN NOT NULL, 
	score1 SMALLINT NOT NULL, 
	score2 SMALLINT, 
	counted BOOLEAN NOT NULL, 
	CONSTRAINT pk_pairs PRIMARY KEY (event_id, pairing, pair), 
	CONSTRAINT ck_pairs_score1 CHECK (score1 IN (0, 1, 2)), 
	CONSTRAINT ck_pairs_score2 CHECK (score2 IN (0, 1, 2)), 
	CONSTRAINT fk_pairs_event_id_pairing FOREIGN KEY(event_id, pairing) REFERENCES pairings (event_id, pairing)
)
 WITHOUT ROWID

;
INSERT INTO "pairs" VALUES(1,0,0,1,1,1,1);
INSERT INTO "pairs" VALUES(1,0,1,1,1,1,1);
INSERT INTO "pairs" VALUES(2,0,0,1,1,1,0);
INSERT INTO "pairs" VALUES(2,0,1,1,1,1,0);
INSERT INTO "pairs" VALUES(3,0,0,1,2,NULL,1);
INSERT INTO "pairs" VALUES(3,1,0,1,1,NULL,1);
INSERT INTO "pairs" VALUES(4,0,0,0,1,1,1);
INSERT INTO "pairs" VALUES(4,0,1,0,1,1,1);
INSERT INTO "pairs" VALUES(4,1,0,0,1,1,1);
INSERT INTO "pairs" VALUES(4,1,1,0,1,1,1);
INSERT INTO "pairs" VALUES(4,2,2,0,1,1,0);
INSERT INTO "pairs" VALUES(4,2,3,0,1,1,0);
CREATE TABLE provenance (
	id INTEGER NOT NULL, 
	host VARCHAR NOT NULL, 
	version VARCHAR NOT NULL, 
	backend VARCHAR NOT NULL, 
	signature VARCHAR NOT NULL, 
	CONSTRAINT pk_provenance PRIMARY KEY (id), 
	CONSTRAINT uq_provenance_host_version_backend_signature UNIQUE (host, version, backend, signature)
);
INSERT INTO "provenance" VALUES(1,'tower','0.1.0','native','6a9f2c643ed7e869');
INSERT INTO "provenance" VALUES(2,'tower','0.1.0','imported','');
INSERT INTO "provenance" VALUES(3,'','','imported','');
CREATE TABLE rating_lists (
	id INTEGER NOT NULL, 
	created_ms BIGINT NOT NULL, 
	version VARCHAR NOT NULL, 
	error_model VARCHAR NOT NULL, 
	settings JSON NOT NULL, 
	CONSTRAINT pk_rating_lists PRIMARY KEY (id)
);
INSERT INTO "rating_lists" VALUES(1,1795314986864,'0.1.0','fisher','{"event":"r434","anchors":{},"mean":0.0}');
INSERT INTO "rating_lists" VALUES(2,1795315001880,'0.1.0','fisher','{"event":"r2dd","anchors":{},"mean":0.0}');
INSERT INTO "rating_lists" VALUES(3,1795315068009,'0.1.0','fisher','{"event":null,"anchors":{},"mean":0.0,"pools":[2,3]}');
CREATE TABLE ratings (
	list_id INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	variant_id INTEGER NOT NULL, 
	label VARCHAR NOT NULL, 
	elo DOUBLE NOT NULL, 
	error95 DOUBLE, 
	games INTEGER NOT NULL, 
	score DOUBLE NOT NULL, 
	los_next DOUBLE, 
	CONSTRAINT pk_ratings PRIMARY KEY (list_id, rank), 
	CONSTRAINT fk_ratings_list_id FOREIGN KEY(list_id) REFERENCES rating_lists (id), 
	CONSTRAINT fk_ratings_variant_id FOREIGN KEY(variant_id) REFERENCES variants (id)
);
INSERT INTO "ratings" VALUES(1,1,1,'mtdf',0.0,7.61337805272457188729e+01,4,0.5,0.5);
INSERT INTO "ratings" VALUES(1,2,2,'pvs',0.0,7.61337805272457188729e+01,4,0.5,NULL);
INSERT INTO "ratings" VALUES(2,1,1,'mtdf',0.0,7.61337805272457188729e+01,4,0.5,0.5);
INSERT INTO "ratings" VALUES(2,2,2,'pvs',0.0,7.61337805272457188729e+01,4,0.5,NULL);
INSERT INTO "ratings" VALUES(3,1,1,'mtdf',0.0,7.61337805272457188729e+01,4,0.5,0.5);
INSERT INTO "ratings" VALUES(3,2,2,'pvs',0.0,7.61337805272457188729e+01,4,0.5,NULL);
INSERT INTO "ratings" VALUES(3,3,3,'Ann',8.68766682193948192036e+00,NULL,1,1.0,NULL);
INSERT INTO "ratings" VALUES(3,4,5,'Cid',0.0,2.40756153345471517472e+02,1,0.5,0.5);
INSERT INTO "ratings" VALUES(3,5,4,'Bob',0.0,2.40756153345471460617e+02,2,0.25,NULL);
CREATE TABLE tuning_confirmations (
	study_id INTEGER NOT NULL, 
	event_id INTEGER NOT NULL, 
	CONSTRAINT pk_tuning_confirmations PRIMARY KEY (study_id, event_id), 
	CONSTRAINT fk_tuning_confirmations_study_id FOREIGN KEY(study_id) REFERENCES tuning_studies (id), 
	CONSTRAINT fk_tuning_confirmations_event_id FOREIGN KEY(event_id) REFERENCES events (id)
);
CREATE TABLE tuning_encounters (
	study_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	trial INTEGER, 
	phase VARCHAR NOT NULL, 
	first JSON NOT NULL, 
	second JSON, 
	opponent INTEGER, 
	first_pair INTEGER NOT NULL, 
	pairs INTEGER NOT NULL, 
	scores BLOB, 
	CONSTRAINT pk_tuning_encounters PRIMARY KEY (study_id, number), 
	CONSTRAINT ck_tuning_encounters_phase CHECK (phase IN ('search', 'choice', 'gain')), 
	CONSTRAINT fk_tuning_encounters_study_id FOREIGN KEY(study_id) REFERENCES tuning_studies (id), 
	CONSTRAINT fk_tuning_encounters_study_id_trial FOREIGN KEY(study_id, trial) REFERENCES tuning_trials (study_id, number)
);
INSERT INTO "tuning_encounters" VALUES(1,0,1,'search','{"grain":38}',NULL,NULL,0,2,X'000000000000E03F000000000000E03F');
INSERT INTO "tuning_encounters" VALUES(1,1,2,'search','{"grain":7}',NULL,NULL,0,2,X'000000000000E03F000000000000E03F');
INSERT INTO "tuning_encounters" VALUES(1,2,NULL,'choice','{"grain":38}',NULL,NULL,2,2,X'000000000000E03F000000000000E03F');
CREATE TABLE tuning_studies (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	status VARCHAR NOT NULL, 
	settings JSON NOT NULL, 
	created_ms BIGINT NOT NULL, 
	started_ms BIGINT, 
	ended_ms BIGINT, 
	provenance_id INTEGER NOT NULL, 
	event_id INTEGER, 
	result JSON, 
	CONSTRAINT pk_tuning_studies PRIMARY KEY (id), 
	CONSTRAINT fk_tuning_studies_provenance_id FOREIGN KEY(provenance_id) REFERENCES provenance (id), 
	CONSTRAINT fk_tuning_studies_event_id FOREIGN KEY(event_id) REFERENCES events (id), 
	CONSTRAINT uq_tuning_studies_name UNIQUE (name), 
	CONSTRAINT uq_tuning_studies_event_id UNIQUE (event_id)
);
INSERT INTO "tuning_studies" VALUES(1,'grain','done','{"version":1,"name":"grain","objective":"elo","space":[{"name":"grain","kind":"int","low":1,"high":50,"log":true}],"start":{"grain":1},"sampler":"random","sampler_options":{},"pruner":null,"budget":{"search":4,"choice":2,"gain":2},"trials":2,"pairs_per_trial":2,"in_flight":1,"seed":1,"base":{"label":"mtdf","id":"2b0d6ae78d4a8963","spelling":"mtdf","driver":"mtdf","effective":{"guess":"parity","convergence":"growth","hash":16,"eval":"full","grain":1,"quiescence":true,"null_move":true,"null_move_reduction":3,"null_move_slope":4,"null_move_verification":8,"reverse_futility":80,"razoring":250,"futility":100,"late_move_pruning":4,"see_pruning":60,"spare_checks":true,"delta_pruning":150,"late_move_reductions":true,"history_reduction":2,"internal_reduction":4,"check_extension":true,"singular_extension":7,"quiescence_table":true,"counter_moves":true,"continuation_history":true,"capture_history":true}},"against":[],"limit":{"nodes":30,"depth":null,"movetime_ms":null,"base_ms":null,"inc_ms":0},"book":{"id":"3777c703ad8d675a","name":"two","source":"two.epd","lines":2,"order":"random","start":1,"repeat":true,"slice":"1/2"},"adjudication":{"max_plies":12,"draw":{"plies":8,"cp":8,"from_move":40},"resign":{"plies":4,"cp":600,"agreement":"both"}},"time_margin_ms":200,"positions":null}',1795315054464,1795315054597,1795315057530,1,4,'{"recommended":{"grain":1},"parameters":{"grain":1},"is_base":true,"gain":{"unit":"elo","pairs":0,"estimate":0.0,"low95":0.0,"high95":0.0,"error95":0.0,"flag":"same"},"refused":null,"refused_gain":null,"pairs_used":{"search":4,"choice":2,"gain":0},"best_trial":1,"best_trial_gain":0.0,"pruned":0,"falsely_pruned":null,"falsely_pruned_expected":null,"leaders":[{"point":{"grain":38},"trial":1,"mean":0.0,"sd":0.017892821256403135,"pairs":2,"fresh":0.0,"estimate":0.0,"estimate_sd":0.017823086873239673,"round":1},{"point":{"grain":7},"trial":2,"mean":0.0,"sd":0.014432034787958197,"pairs":0,"fresh":0.0,"estimate":0.0,"estimate_sd":0.014432034787958197,"round":0}]}');
CREATE TABLE tuning_trials (
	study_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	state VARCHAR NOT NULL, 
	params JSON NOT NULL, 
	attributes JSON NOT NULL, 
	steps JSON NOT NULL, 
	value DOUBLE, 
	started_ms BIGINT NOT NULL, 
	ended_ms BIGINT, 
	CONSTRAINT pk_tuning_trials PRIMARY KEY (study_id, number), 
	CONSTRAINT ck_tuning_trials_state CHECK (state IN ('running', 'complete', 'pruned', 'failed')), 
	CONSTRAINT fk_tuning_trials_study_id FOREIGN KEY(study_id) REFERENCES tuning_studies (id)
);
INSERT INTO "tuning_trials" VALUES(1,0,'complete','{"grain":1}','{"user":{},"system":{"fixed_params":{"grain":1}}}','[]',0.0,1795315054638,1795315054649);
INSERT INTO "tuning_trials" VALUES(1,1,'complete','{"grain":38}','{"user":{},"system":{}}','[]',0.0,1795315054662,1795315056838);
INSERT INTO "tuning_trials" VALUES(1,2,'complete','{"grain":7}','{"user":{},"system":{}}','[]',0.0,1795315056849,1795315057158);
CREATE TABLE variants (
	id INTEGER NOT NULL, 
	identity VARCHAR(64) NOT NULL, 
	kind VARCHAR NOT NULL, 
	driver VARCHAR NOT NULL, 
	parameters JSON NOT NULL, 
	spelling VARCHAR NOT NULL, 
	CONSTRAINT pk_variants PRIMARY KEY (id), 
	CONSTRAINT uq_variants_identity UNIQUE (identity)
);
INSERT INTO "variants" VALUES(1,'2b0d6ae78d4a8963','native','mtdf','{"guess":"parity","convergence":"growth","hash":16,"eval":"full","grain":1,"quiescence":true,"null_move":true,"null_move_reduction":3,"null_move_slope":4,"null_move_verification":8,"reverse_futility":80,"razoring":250,"futility":100,"late_move_pruning":4,"see_pruning":60,"spare_checks":true,"delta_pruning":150,"late_move_reductions":true,"history_reduction":2,"internal_reduction":4,"check_extension":true,"singular_extension":7,"quiescence_table":true,"counter_moves":true,"continuation_history":true,"capture_history":true}','mtdf');
INSERT INTO "variants" VALUES(2,'c8c042aa6c4772b3','native','pvs','{"window":25,"hash":16,"eval":"full","grain":1,"quiescence":true,"null_move":true,"null_move_reduction":3,"null_move_slope":4,"null_move_verification":8,"reverse_futility":80,"razoring":250,"futility":100,"late_move_pruning":4,"see_pruning":60,"spare_checks":true,"delta_pruning":150,"late_move_reductions":true,"history_reduction":2,"internal_reduction":4,"check_extension":true,"singular_extension":7,"quiescence_table":true,"counter_moves":true,"continuation_history":true,"capture_history":true}','pvs');
INSERT INTO "variants" VALUES(3,'d4c08ea0eb5cc102','imported','','{"name":"Ann"}','Ann');
INSERT INTO "variants" VALUES(4,'63eea7f8db649cc1','imported','','{"name":"Bob"}','Bob');
INSERT INTO "variants" VALUES(5,'92f957f2155f1c26','imported','','{"name":"Cid"}','Cid');
INSERT INTO "variants" VALUES(6,'96e3e40dedbbc7f8','native','pvs','{"window":0,"entries":1024,"eval":"pst","grain":1,"quiescence":true,"null_move":true,"null_move_reduction":3,"null_move_slope":4,"null_move_verification":8,"reverse_futility":80,"razoring":250,"futility":100,"late_move_pruning":4,"see_pruning":60,"spare_checks":true,"delta_pruning":150,"late_move_reductions":true,"history_reduction":2,"internal_reduction":4,"check_extension":true,"singular_extension":7,"quiescence_table":true,"counter_moves":true,"continuation_history":true,"capture_history":true}','pvs:window=0,entries=1024,eval=pst');
INSERT INTO "variants" VALUES(7,'c8b304dce805bb60','native','pvs','{"window":25,"entries":1024,"eval":"pst","grain":1,"quiescence":true,"null_move":true,"null_move_reduction":3,"null_move_slope":4,"null_move_verification":8,"reverse_futility":80,"razoring":250,"futility":100,"late_move_pruning":4,"see_pruning":60,"spare_checks":true,"delta_pruning":150,"late_move_reductions":true,"history_reduction":2,"internal_reduction":4,"check_extension":true,"singular_extension":7,"quiescence_table":true,"counter_moves":true,"continuation_history":true,"capture_history":true}','pvs:entries=1024,eval=pst');
INSERT INTO "variants" VALUES(8,'134ca20cf22933b7','native','bns','{"guess":"parity","entries":1024,"eval":"pst","grain":1,"quiescence":true,"null_move":true,"null_move_reduction":3,"null_move_slope":4,"null_move_verification":8,"reverse_futility":80,"razoring":250,"futility":100,"late_move_pruning":4,"see_pruning":60,"spare_checks":true,"delta_pruning":150,"late_move_reductions":true,"history_reduction":2,"internal_reduction":4,"check_extension":true,"singular_extension":7,"quiescence_table":true,"counter_moves":true,"continuation_history":true,"capture_history":true}','bns:entries=1024,eval=pst');
INSERT INTO "variants" VALUES(9,'ca47de5a05a5a5ea','native','mtdf','{"guess":"parity","convergence":"growth","hash":16,"eval":"full","grain":38,"quiescence":true,"null_move":true,"null_move_reduction":3,"null_move_slope":4,"null_move_verification":8,"reverse_futility":80,"razoring":250,"futility":100,"late_move_pruning":4,"see_pruning":60,"spare_checks":true,"delta_pruning":150,"late_move_reductions":true,"history_reduction":2,"internal_reduction":4,"check_extension":true,"singular_extension":7,"quiescence_table":true,"counter_moves":true,"continuation_history":true,"capture_history":true}','mtdf:grain=38');
INSERT INTO "variants" VALUES(10,'75374ce62ca98302','native','mtdf','{"guess":"parity","convergence":"growth","hash":16,"eval":"full","grain":7,"quiescence":true,"null_move":true,"null_move_reduction":3,"null_move_slope":4,"null_move_verification":8,"reverse_futility":80,"razoring":250,"futility":100,"late_move_pruning":4,"see_pruning":60,"spare_checks":true,"delta_pruning":150,"late_move_reductions":true,"history_reduction":2,"internal_reduction":4,"check_extension":true,"singular_extension":7,"quiescence_table":true,"counter_moves":true,"continuation_history":true,"capture_history":true}','mtdf:grain=7');
CREATE INDEX ix_event_players_label ON event_players (label);
CREATE INDEX ix_event_players_variant_id ON event_players (variant_id);
CREATE UNIQUE INDEX ix_games_counted_key ON games (game_key) WHERE repeats_id IS NULL AND game_key IS NOT NULL;
CREATE INDEX ix_games_repeats ON games (repeats_id) WHERE repeats_id IS NOT NULL;
CREATE INDEX ix_games_scores ON games (event_id, pairing, white_player, black_player, white_score, provenance_id, repeats_id);
CREATE INDEX ix_ratings_variant_id ON ratings (variant_id);
CREATE INDEX ix_events_kind ON events (kind);
CREATE INDEX ix_tuning_encounters_study_id_trial ON tuning_encounters (study_id, trial);
CREATE INDEX ix_lab_engines_variant_id ON lab_engines (variant_id);
CREATE VIEW v_variants AS 
        SELECT v.identity AS id, v.kind, v.driver, v.spelling, v.parameters
        FROM variants v;
CREATE VIEW v_openings AS 
        SELECT b.identity AS book_id, b.name AS book, o.line, o.label, o.start_fen, o.moves, o.fen
        FROM openings o LEFT JOIN books b ON b.id = o.book_id;
CREATE VIEW v_events AS 
        SELECT e.key AS id, e.name, e.kind, e.status, e.pairs_planned,
            (SELECT count(*) FROM pairs p WHERE p.event_id = e.id) AS pairs_done,
            (SELECT count(*) FROM pair_failures f WHERE f.event_id = e.id) AS pairs_failed,
            e.seed, b.identity AS book_id, b.name AS book, strftime('%Y-%m-%dT%H:%M:%fZ', e.created_ms / 1000.0, 'unixepoch') AS created_at,
            strftime('%Y-%m-%dT%H:%M:%fZ', e.started_ms / 1000.0, 'unixepoch') AS started_at, strftime('%Y-%m-%dT%H:%M:%fZ', e.ended_ms / 1000.0, 'unixepoch') AS ended_at,
            h.host, h.version, h.backend, h.signature, e.settings
        FROM events e
        LEFT JOIN books b ON b.id = e.book_id
        LEFT JOIN provenance h ON h.id = e.provenance_id;
CREATE VIEW v_players AS 
        SELECT e.key AS event, x.position, x.label, v.identity AS variant_id, v.spelling
        FROM event_players x
        LEFT JOIN events e ON e.id = x.event_id
        LEFT JOIN variants v ON v.id = x.variant_id;
CREATE VIEW v_pairs AS 
        SELECT e.key AS event, p.pairing, p.pair, a.label AS first, b.label AS second,
            v.identity AS first_id, w.identity AS second_id, p.first_is_white,
            p.score1 / 2.0 AS score1, p.score2 / 2.0 AS score2,
            (p.score1 + p.score2) / 2.0 AS points, p.counted
        FROM pairs p
        LEFT JOIN events e ON e.id = p.event_id
        LEFT JOIN pairings m ON m.event_id = p.event_id AND m.pairing = p.pairing
        LEFT JOIN event_players a ON a.event_id = p.event_id AND a.position = m.first_player
        LEFT JOIN event_players b ON b.event_id = p.event_id AND b.position = m.second_player
        LEFT JOIN variants v ON v.id = a.variant_id
        LEFT JOIN variants w ON w.id = b.variant_id;
CREATE VIEW v_failures AS 
        SELECT e.key AS event, f.pairing, f.pair, f.attempts, f.reason,
            strftime('%Y-%m-%dT%H:%M:%fZ', f.failed_ms / 1000.0, 'unixepoch') AS failed_at
        FROM pair_failures f LEFT JOIN events e ON e.id = f.event_id;
CREATE VIEW v_games AS 
        SELECT g.id, e.key AS event, g.pairing, g.pair, g.game,
            (SELECT a.label FROM event_players a
                WHERE a.event_id = g.event_id AND a.position = g.white_player) AS white,
            (SELECT b.label FROM event_players b
                WHERE b.event_id = g.event_id AND b.position = g.black_player) AS black,
            (SELECT v.identity FROM event_players a JOIN variants v ON v.id = a.variant_id
                WHERE a.event_id = g.event_id AND a.position = g.white_player) AS white_id,
            (SELECT w.identity FROM event_players b JOIN variants w ON w.id = b.variant_id
                WHERE b.event_id = g.event_id AND b.position = g.black_player) AS black_id,
            CASE g.white_score WHEN 2 THEN '1-0' WHEN 1 THEN '1/2-1/2' ELSE '0-1' END AS result,
            g.white_score / 2.0 AS white_score,
            (SELECT r.name FROM end_reasons r WHERE r.id = g.end_reason_id) AS end_reason, g.plies,
            (SELECT k.identity FROM openings o JOIN books k ON k.id = o.book_id
                WHERE o.id = g.opening_id) AS book_id,
            (SELECT o.line FROM openings o WHERE o.id = g.opening_id) AS opening_line,
            coalesce(g.start_fen, (SELECT o.fen FROM openings o WHERE o.id = g.opening_id),
                'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1') AS start_fen,
            (SELECT d.moves FROM game_moves d WHERE d.game_id = g.id) AS moves,
            (SELECT d.moves_version FROM game_moves d WHERE d.game_id = g.id) AS moves_version,
            (SELECT d.search_data FROM game_moves d WHERE d.game_id = g.id) AS search_data,
            (SELECT d.search_version FROM game_moves d WHERE d.game_id = g.id) AS search_version,
            g.white_nodes, g.black_nodes, g.white_cpu_us, g.black_cpu_us,
            strftime('%Y-%m-%dT%H:%M:%fZ', g.started_ms / 1000.0, 'unixepoch') AS started_at, strftime('%Y-%m-%dT%H:%M:%fZ', g.ended_ms / 1000.0, 'unixepoch') AS ended_at,
            (SELECT h.host FROM provenance h WHERE h.id = g.provenance_id) AS host,
            g.load, g.jobs,
            (SELECT h.backend FROM provenance h WHERE h.id = g.provenance_id) AS backend,
            (SELECT h.signature FROM provenance h WHERE h.id = g.provenance_id) AS signature,
            (SELECT h.version FROM provenance h WHERE h.id = g.provenance_id) AS version,
            g.seed, nullif(lower(hex(g.game_key)), '') AS game_key,
            g.repeats_id IS NULL AS counted, g.repeats_id AS repeats
        FROM games g
        LEFT JOIN events e ON e.id = g.event_id;
CREATE VIEW v_ratings AS 
        SELECT r.list_id AS list, strftime('%Y-%m-%dT%H:%M:%fZ', l.created_ms / 1000.0, 'unixepoch') AS created_at, r.rank, r.label AS engine,
            v.identity AS engine_id, r.elo, r.error95, l.error_model, r.games, r.score, r.los_next,
            l.version, l.settings
        FROM ratings r
        LEFT JOIN rating_lists l ON l.id = r.list_id
        LEFT JOIN variants v ON v.id = r.variant_id;
CREATE VIEW v_tuning_studies AS 
        SELECT s.name, s.status,
            (SELECT e.key FROM events e WHERE e.id = s.event_id) AS event,
            (SELECT count(*) FROM tuning_trials t WHERE t.study_id = s.id) AS trials,
            (SELECT coalesce(sum(n.pairs), 0) FROM tuning_encounters n
                WHERE n.study_id = s.id AND n.scores IS NOT NULL) AS pairs,
            strftime('%Y-%m-%dT%H:%M:%fZ', s.created_ms / 1000.0, 'unixepoch') AS created_at, strftime('%Y-%m-%dT%H:%M:%fZ', s.started_ms / 1000.0, 'unixepoch') AS started_at,
            strftime('%Y-%m-%dT%H:%M:%fZ', s.ended_ms / 1000.0, 'unixepoch') AS ended_at, h.host, h.version, h.backend, h.signature,
            s.settings, s.result
        FROM tuning_studies s
        LEFT JOIN provenance h ON h.id = s.provenance_id;
CREATE VIEW v_tuning_trials AS 
        SELECT s.name AS study, t.number AS trial, t.state, t.value, t.params, t.attributes,
            t.steps,
            (SELECT coalesce(sum(n.pairs), 0) FROM tuning_encounters n
                WHERE n.study_id = t.study_id AND n.trial = t.number
                AND n.scores IS NOT NULL) AS pairs,
            strftime('%Y-%m-%dT%H:%M:%fZ', t.started_ms / 1000.0, 'unixepoch') AS started_at, strftime('%Y-%m-%dT%H:%M:%fZ', t.ended_ms / 1000.0, 'unixepoch') AS ended_at
        FROM tuning_trials t
        LEFT JOIN tuning_studies s ON s.id = t.study_id;
CREATE VIEW v_tuning_encounters AS 
        SELECT s.name AS study, n.number AS encounter, n.trial, n.phase, n.first, n.second,
            n.opponent, n.first_pair, n.pairs, n.scores IS NOT NULL AS finished, n.scores
        FROM tuning_encounters n
        LEFT JOIN tuning_studies s ON s.id = n.study_id;
CREATE VIEW v_lab_runs AS 
        SELECT r.name, r.kind, r.status,
            (SELECT count(*) FROM lab_engines e WHERE e.run_id = r.id) AS engines,
            (SELECT count(*) FROM lab_positions p WHERE p.run_id = r.id) AS positions,
            (SELECT count(*) FROM lab_searches s WHERE s.run_id = r.id) AS searches,
            strftime('%Y-%m-%dT%H:%M:%fZ', r.created_ms / 1000.0, 'unixepoch') AS created_at, strftime('%Y-%m-%dT%H:%M:%fZ', r.started_ms / 1000.0, 'unixepoch') AS started_at,
            strftime('%Y-%m-%dT%H:%M:%fZ', r.ended_ms / 1000.0, 'unixepoch') AS ended_at, h.host, h.version, h.backend, h.signature, r.settings
        FROM lab_runs r
        LEFT JOIN provenance h ON h.id = r.provenance_id;
CREATE VIEW v_lab_searches AS 
        SELECT r.name AS run, s.engine, e.label, v.identity AS variant_id, v.driver, v.spelling,
            e.baseline, e.parameter, e.value AS parameter_value, s.position,
            p.label AS position_label, p.fen, s.depth, s.value, s.move, s.interior, s.leaves,
            s.quiescence, s.interior + s.leaves + s.quiescence AS nodes, s.passes, s.cpu_us,
            s.iterations, strftime('%Y-%m-%dT%H:%M:%fZ', s.searched_ms / 1000.0, 'unixepoch') AS searched_at
        FROM lab_searches s
        LEFT JOIN lab_runs r ON r.id = s.run_id
        LEFT JOIN lab_engines e ON e.run_id = s.run_id AND e.engine = s.engine
        LEFT JOIN variants v ON v.id = e.variant_id
        LEFT JOIN lab_positions p ON p.run_id = s.run_id AND p.position = s.position;
CREATE VIEW v_lab_iterations AS 
        SELECT r.name AS run, s.engine, e.label, v.identity AS variant_id, v.driver,
            e.parameter, e.value AS parameter_value, s.position, p.label AS position_label,
            json_extract(i.value, '$[0]') AS depth, json_extract(i.value, '$[1]') AS value,
            json_extract(i.value, '$[2]') AS move, json_extract(i.value, '$[11]') AS move_value,
            json_extract(i.value, '$[3]') AS first_guess, json_extract(i.value, '$[4]') AS interior,
            json_extract(i.value, '$[5]') AS leaves, json_extract(i.value, '$[6]') AS quiescence,
            json_extract(i.value, '$[4]') + json_extract(i.value, '$[5]') + json_extract(i.value, '$[6]') AS nodes,
            json_extract(i.value, '$[7]') AS probes, json_extract(i.value, '$[8]') AS hits,
            json_extract(i.value, '$[9]') AS cutoffs, json_extract(i.value, '$[10]') AS cpu_us,
            json_array_length(i.value, '$[12]') AS passes
        FROM lab_runs r
        JOIN lab_searches s ON s.run_id = r.id
        JOIN lab_engines e ON e.run_id = s.run_id AND e.engine = s.engine
        JOIN variants v ON v.id = e.variant_id
        JOIN lab_positions p ON p.run_id = s.run_id AND p.position = s.position
        CROSS JOIN json_each(s.iterations) i;
CREATE VIEW v_lab_passes AS 
        SELECT q.run, q.engine, q.label, q.parameter, q.parameter_value, q.position,
            q.position_label, q.depth, q.number,
            CASE WHEN q.alpha >= -32000 THEN q.alpha END AS alpha,
            CASE WHEN q.beta <= 32000 THEN q.beta END AS beta, q.value, q.nodes,
            CASE WHEN q.value >= q.beta THEN 'high' WHEN q.value <= q.alpha THEN 'low' END AS fails,
            q.move
        FROM (
            SELECT r.name AS run, s.engine, e.label, e.parameter, e.value AS parameter_value,
                s.position, p.label AS position_label, json_extract(i.value, '$[0]') AS depth,
                a.key + 1 AS number, json_extract(a.value, '$[0]') AS alpha, json_extract(a.value, '$[1]') AS beta,
                json_extract(a.value, '$[2]') AS value, json_extract(a.value, '$[3]') AS nodes,
                json_extract(a.value, '$[4]') AS move
            FROM lab_runs r
            JOIN lab_searches s ON s.run_id = r.id
            JOIN lab_engines e ON e.run_id = s.run_id AND e.engine = s.engine
            JOIN lab_positions p ON p.run_id = s.run_id AND p.position = s.position
            CROSS JOIN json_each(s.iterations) i
            CROSS JOIN json_each(i.value, '$[12]') a
        ) q;
COMMIT;
